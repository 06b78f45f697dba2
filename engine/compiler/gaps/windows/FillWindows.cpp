// Fills the windows that products read, a few rows at a time.
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/products/Windows.h"
#include "compiler/gaps/windows/PaddedImage.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_FILLWINDOWSPASS
#define GEN_PASS_DEF_FILLWINDOWSPASS
#include "compiler/gaps/windows/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

namespace {
/// Writes some rows of windows, one contiguous piece of the input at a time, in
/// vectors of `sizes`.
class WindowFiller {
public:
  WindowFiller(Operation *before, linalg::GenericOp gather,
               ArrayRef<int64_t> sizes)
      : builder(before), loc(gather.getLoc()), tensors(builder, loc),
        w(*Windows::from(gather->getAttr(windowsMark))),
        input(gather.getInputs()[0]), copySizes(sizes) {
    std::optional<PaddedImage> image = paddedImage(input, 4);
    if (!image || !image->number)
      return;
    input = image->pad.getSource();
    filling = image->number;
    w.top = image->top;
    w.left = image->left;
    w.bottom = image->bottom;
    w.right = image->right;
  }

  /// `count` rows of a group from `first` on, in a tensor of their own.
  Value fill(OpFoldResult group, OpFoldResult first, OpFoldResult count) {
    element = getElementTypeOrSelf(input.getType());
    if (w.groups > 1)
      base = apply(getAffineDimExpr(0, builder.getContext()) * w.channels,
                   getValueOrCreateConstantIndexOp(builder, loc, group));
    zero = tensors.zero(element);
    SmallVector<OpFoldResult> sizes = {count, builder.getIndexAttr(w.size())};
    Value empty = tensor::EmptyOp::create(builder, loc, sizes, element);
    Value end = getValueOrCreateConstantIndexOp(builder, loc, count);
    Value begin = getValueOrCreateConstantIndexOp(builder, loc, first);
    lines = tensors.collapsed(input, {{0}, {1}, {2, 3}});
    return tensors.loop(end, empty, [&](Value row, Value rows) {
      Value pixel = arith::AddIOp::create(builder, loc, begin, row);
      return fillRow(row, pixel, rows);
    });
  }

private:
  Value index(int64_t value) { return tensors.index(value); }
  Value apply(AffineExpr expression, ValueRange values) {
    return tensors.apply(expression, values);
  }
  void yield(OpBuilder &inside, llvm::function_ref<Value()> value) {
    OpBuilder::InsertionGuard guard(builder);
    builder.restoreInsertionPoint(inside.saveInsertionPoint());
    scf::YieldOp::create(builder, loc, value());
  }

  Value fillRow(Value row, Value pixel, Value rows) {
    AffineExpr p;
    bindDims(builder.getContext(), p);
    Value image = apply(p.floorDiv(w.height * w.width), pixel);
    Value line =
        apply((p.floorDiv(w.width) % w.height) * w.rowStride - w.top, pixel);
    Value column = apply((p % w.width) * w.columnStride - w.left, pixel);
    if (!w.isPadded())
      return copyWindow({image, line, column}, row, rows);
    auto shape = cast<RankedTensorType>(input.getType()).getShape();
    Value isInside =
        both(isWithin(line, shape[1] - (w.rows - 1) * w.rowDilation),
             isWithin(column, shape[2] - (w.columns - 1) * w.columnDilation));
    return choose(
        isInside,
        [&] {
          return copyWindow({image, line, column}, row, rows);
        },
        [&] {
          return copyPixels({image, line, column}, row, rows);
        });
  }

  /// Where the group's channels begin in a pixel.
  Value inGroup(Value pixel) {
    return base ? arith::AddIOp::create(builder, loc, pixel, base) : pixel;
  }
  Value both(Value a, Value b) {
    return arith::AndIOp::create(builder, loc, a, b);
  }
  /// Whether 0 <= value < end.
  Value isWithin(Value value, int64_t end) {
    if (end <= 0)
      return arith::ConstantIntOp::create(builder, loc, 0, 1);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, value,
                                 index(end));
  }
  Value choose(Value condition, llvm::function_ref<Value()> yes,
               llvm::function_ref<Value()> no) {
    auto choice = scf::IfOp::create(
        builder, loc, condition,
        [&](OpBuilder &inside, Location) { yield(inside, yes); },
        [&](OpBuilder &inside, Location) { yield(inside, no); });
    return choice.getResult(0);
  }

  /// The window at a pixel, all of it inside the input. Its lines are
  /// contiguous, unless its columns are spread.
  Value copyWindow(ArrayRef<Value> from, Value row, Value rows) {
    AffineExpr p, k;
    bindDims(builder.getContext(), p, k);
    bool isSpread = (w.columnDilation != 1 || w.groups > 1) && w.columns > 1;
    int64_t pieces = isSpread ? w.columns : 1;
    int64_t length = w.channels * w.columns / pieces;
    return tensors.loop(index(w.rows), rows, [&](Value y, Value inner) {
      Value line = apply(p + k * w.rowDilation, {from[1], y});
      for (int64_t x = 0; x < pieces; ++x) {
        Value start =
            inGroup(apply((p + x * w.columnDilation) * w.pixel(), from[2]));
        Value to = apply(p * (w.columns * w.channels) + x * length, y);
        inner = copy({from[0], line, start}, {row, to}, length, inner);
      }
      return inner;
    });
  }

  /// The same where part of it is outside: the padding's number there.
  Value copyPixels(ArrayRef<Value> from, Value row, Value rows) {
    AffineExpr p, k;
    bindDims(builder.getContext(), p, k);
    auto shape = cast<RankedTensorType>(input.getType()).getShape();
    return tensors.loop(index(w.rows), rows, [&](Value y, Value lines) {
      Value line = apply(p + k * w.rowDilation, {from[1], y});
      return tensors.loop(index(w.columns), lines, [&](Value x, Value inner) {
        Value column = apply(p + k * w.columnDilation, {from[2], x});
        Value to = apply((p * w.columns + k) * w.channels, {y, x});
        Value start = inGroup(apply(p * w.pixel(), column));
        return choose(
            both(isWithin(line, shape[1]), isWithin(column, shape[2])),
            [&] {
              return copy({from[0], line, start}, {row, to}, w.channels, inner);
            },
            [&] {
              return copy({}, {row, to}, w.channels, inner);
            });
      });
    });
  }

  /// Copies `length` neighbours, in vectors as long as fit; padding from
  /// nowhere.
  Value copy(ArrayRef<Value> from, ArrayRef<Value> to, int64_t length,
             Value rows) {
    int64_t done = 0;
    for (int64_t size : copySizes) {
      int64_t pieces = (length - done) / size;
      if (pieces == 0)
        continue;
      AffineExpr piece = getAffineDimExpr(0, builder.getContext());
      rows = tensors.loop(index(pieces), rows, [&](Value number, Value inner) {
        Value at = apply(piece * size + done, number);
        return copyVector(from, to, at, size, inner);
      });
      done += pieces * size;
    }
    return rows;
  }

  Value copyVector(ArrayRef<Value> from, ArrayRef<Value> to, Value at,
                   int64_t size, Value rows) {
    auto type = VectorType::get({size}, element);
    SmallVector<Value> source(from), target(to);
    target.back() = arith::AddIOp::create(builder, loc, target.back(), at);
    Value read;
    if (from.empty()) {
      read = arith::ConstantOp::create(
          builder, loc, DenseElementsAttr::get(type, Attribute(filling)));
    } else {
      source.back() = arith::AddIOp::create(builder, loc, source.back(), at);
      read = vector::TransferReadOp::create(builder, loc, type, lines, source,
                                            zero, ArrayRef<bool>{true});
    }
    return vector::TransferWriteOp::create(builder, loc, read, rows, target,
                                           ArrayRef<bool>{true})
        .getResult();
  }

  OpBuilder builder;
  Location loc;
  TensorBuilder tensors;
  Windows w;
  Value input, lines, zero;
  ArrayRef<int64_t> copySizes;
  Value base;        ///< of the group's channels; null where there is one group
  TypedAttr filling; ///< around the image
  Type element;
};

struct FillWindowsPass : lh::impl::FillWindowsPassBase<FillWindowsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<int64_t> sizes(copies.begin(), copies.end());
    sizes.push_back(1);
    SmallVector<linalg::GenericOp> gathers;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (Windows::from(op->getAttr(windowsMark)))
        gathers.push_back(op);
    });
    for (linalg::GenericOp gather : gathers)
      fillWhereRead(gather, sizes);
  }

  /// Slices of whole rows by themselves; all at once for other readers.
  static void fillWhereRead(linalg::GenericOp gather, ArrayRef<int64_t> sizes) {
    for (Operation *user : llvm::make_early_inc_range(gather->getUsers())) {
      auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
      if (!slice || !holdsWholeRows(slice))
        continue;
      replace(slice, gather, sizes);
    }
    OpBuilder builder(gather);
    bool isGrouped =
        cast<ShapedType>(gather.getResult(0).getType()).getRank() > 2;
    if (!gather->use_empty() && isGrouped)
      return; // it is right as it stands
    if (!gather->use_empty()) {
      auto shape = cast<RankedTensorType>(gather.getResult(0).getType());
      gather.getResult(0).replaceAllUsesWith(
          WindowFiller(gather, gather, sizes)
              .fill(builder.getIndexAttr(0), builder.getIndexAttr(0),
                    builder.getIndexAttr(shape.getDimSize(0))));
    }
    gather->erase();
  }

  /// Rows of one group, or of the only one.
  static bool holdsWholeRows(tensor::ExtractSliceOp slice) {
    int64_t rank = slice.getSourceType().getRank();
    auto last = static_cast<unsigned>(rank - 1);
    return slice.getType().getRank() == rank && slice.hasUnitStride() &&
           (rank == 2 || slice.getType().getDimSize(0) == 1) &&
           isConstantIntValue(slice.getMixedOffsets()[last], 0) &&
           slice.getType().getDimSize(last) ==
               slice.getSourceType().getDimSize(last);
  }

  static void replace(tensor::ExtractSliceOp slice, linalg::GenericOp gather,
                      ArrayRef<int64_t> copies) {
    SmallVector<OpFoldResult> at = slice.getMixedOffsets(),
                              sizes = slice.getMixedSizes();
    bool isGrouped = at.size() > 2;
    OpBuilder builder(slice);
    OpFoldResult group = isGrouped ? at[0] : builder.getIndexAttr(0);
    Value rows = WindowFiller(slice, gather, copies)
                     .fill(group, at[at.size() - 2], sizes[at.size() - 2]);
    if (isGrouped)
      rows = tensor::ExpandShapeOp::create(
          builder, slice.getLoc(), slice.getType(), rows,
          ArrayRef<ReassociationIndices>{{0, 1}, {2}}, sizes);
    slice.replaceAllUsesWith(rows);
    slice.erase();
  }
};
} // namespace
