// Padding as a loop over rows: each writes its border and copies what is
// inside. Bufferization fills all of the padded image and copies over it.
#include "compiler/gaps/windows/PaddedImage.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_PADBORDERSPASS
#include "compiler/gaps/windows/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

namespace {
class PadRewriter {
public:
  explicit PadRewriter(tensor::PadOp pad)
      : pad(pad), builder(pad), loc(pad.getLoc()),
        number(pad.getConstantPaddingValue()),
        source(pad.getSourceType().getShape()),
        result(pad.getResultType().getShape()), channels(source[2]),
        top(pad.getStaticLow()[0]), left(pad.getStaticLow()[1] * channels),
        inside(source[1] * channels), width(result[1] * channels) {}

  void run() {
    SmallVector<ReassociationIndices> lines = {{0}, {1, 2}};
    image =
        tensor::CollapseShapeOp::create(builder, loc, pad.getSource(), lines);
    Value padded = tensor::EmptyOp::create(
        builder, loc, ArrayRef<int64_t>{result[0], width},
        pad.getResultType().getElementType());
    padded = fill(padded, builder.getIndexAttr(0), top, 0, width);
    padded = fill(padded, builder.getIndexAttr(top + source[0]),
                  result[0] - top - source[0], 0, width);
    padded = rows(padded);
    Value shaped = tensor::ExpandShapeOp::create(
        builder, loc, pad.getResultType(), padded, lines);
    pad.replaceAllUsesWith(shaped);
    pad.erase();
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  Value rows(Value padded) {
    auto loop = scf::ForOp::create(builder, loc, index(0), index(source[0]),
                                   index(1), ValueRange{padded});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value line = loop.getInductionVar();
    OpFoldResult row = affine::makeComposedFoldedAffineApply(
        builder, loc, builder.getAffineDimExpr(0) + top, {line});
    Value written = fill(loop.getRegionIterArg(0), row, 1, 0, left);
    written = copy(written, line, row);
    written = fill(written, row, 1, left + inside, width - left - inside);
    scf::YieldOp::create(builder, loc, written);
    return loop.getResult(0);
  }

  /// `write`s into some numbers of some rows.
  Value change(Value padded, OpFoldResult row, int64_t count, int64_t from,
               int64_t size, llvm::function_ref<Value(Value)> write) {
    SmallVector<OpFoldResult> offsets = {row, builder.getIndexAttr(from)},
                              sizes = {builder.getIndexAttr(count),
                                       builder.getIndexAttr(size)},
                              strides(2, builder.getIndexAttr(1));
    Value slice = tensor::ExtractSliceOp::create(builder, loc, padded, offsets,
                                                 sizes, strides);
    return tensor::InsertSliceOp::create(builder, loc, write(slice), padded,
                                         offsets, sizes, strides);
  }

  Value fill(Value padded, OpFoldResult row, int64_t count, int64_t from,
             int64_t size) {
    if (count == 0 || size == 0)
      return padded;
    return change(padded, row, count, from, size, [&](Value slice) {
      return linalg::FillOp::create(builder, loc, number, slice).getResult(0);
    });
  }

  Value copy(Value padded, Value line, OpFoldResult row) {
    SmallVector<OpFoldResult> offsets = {line, builder.getIndexAttr(0)},
                              sizes = {builder.getIndexAttr(1),
                                       builder.getIndexAttr(inside)},
                              strides(2, builder.getIndexAttr(1));
    Value pixels = tensor::ExtractSliceOp::create(builder, loc, image, offsets,
                                                  sizes, strides);
    return change(padded, row, 1, left, inside, [&](Value slice) {
      return linalg::CopyOp::create(builder, loc, pixels, slice).getResult(0);
    });
  }

  tensor::PadOp pad;
  OpBuilder builder;
  Location loc;
  Value number, image;
  ArrayRef<int64_t> source, result;
  int64_t channels, top;
  int64_t left, inside, width; ///< numbers of a row
};

struct PadBordersPass : lh::impl::PadBordersPassBase<PadBordersPass> {
  void runOnOperation() override {
    SmallVector<tensor::PadOp> pads;
    getOperation()->walk([&](tensor::PadOp pad) {
      if (paddedImage(pad, 3))
        pads.push_back(pad);
    });
    for (tensor::PadOp pad : pads)
      PadRewriter(pad).run();
  }
};
} // namespace
