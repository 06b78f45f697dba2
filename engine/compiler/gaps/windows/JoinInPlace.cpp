// Concatenations of channels whose parts are computed where they belong.
#include "compiler/gaps/windows/Destinations.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_JOININPLACEPASS
#include "compiler/gaps/windows/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

namespace {
/// A part of a concatenation, as a matrix of pixels by channels.
struct Part {
  Value source;
  int64_t first; ///< of its channels in the whole
  /// Null where it isn't computed here, or is needed by others.
  OpOperand *destination;
};

class Joiner {
public:
  explicit Joiner(tensor::ConcatOp concat)
      : concat(concat), builder(concat), loc(concat.getLoc()),
        type(concat.getResultType()),
        pixels(type.getNumElements() / type.getShape().back()) {}

  void run() {
    SmallVector<Part> parts = partsInOrder();
    if (llvm::none_of(parts, [](const Part &part) { return part.destination; }))
      return;
    builder.setInsertionPoint(parts.front().destination->getOwner());
    Value whole = tensor::EmptyOp::create(
        builder, loc, ArrayRef<int64_t>{pixels, type.getShape().back()},
        type.getElementType());
    for (const Part &part : parts)
      whole = insert(part, whole);
    builder.setInsertionPoint(concat);
    concat.replaceAllUsesWith(
        tensor::ExpandShapeOp::create(builder, loc, type, whole, matrixOf(type))
            .getResult());
    concat.erase();
  }

private:
  /// All dimensions but the last one are pixels.
  static SmallVector<ReassociationIndices> matrixOf(RankedTensorType type) {
    SmallVector<ReassociationIndices> groups(2);
    for (int64_t dim = 0; dim + 1 < type.getRank(); ++dim)
      groups[0].push_back(dim);
    groups[1].push_back(type.getRank() - 1);
    return groups;
  }

  Part partOf(Value input, int64_t first) {
    auto shaped = input.getDefiningOp<tensor::ExpandShapeOp>();
    if (!shaped || shaped.getSrcType().getRank() != 2 ||
        shaped.getReassociationIndices() != matrixOf(shaped.getResultType()))
      return {input, first, nullptr};
    Value source = shaped.getSrc();
    bool isOwn = input.hasOneUse() && source.hasOneUse();
    return {source, first,
            isOwn ? destinationOf(source, concat->getBlock()) : nullptr};
  }

  /// Those that can be computed in their places, one after the other, and then
  /// those that are copied there.
  SmallVector<Part> partsInOrder() {
    SmallVector<Part> own, copied;
    int64_t first = 0;
    for (Value input : concat.getInputs()) {
      Part part = partOf(input, first);
      first += cast<RankedTensorType>(input.getType()).getShape().back();
      (part.destination ? own : copied).push_back(part);
    }
    llvm::sort(own, [](const Part &a, const Part &b) {
      return a.destination->getOwner()->isBeforeInBlock(
          b.destination->getOwner());
    });
    SmallVector<Part> parts;
    for (Part &part : own) {
      // Its place is a slice of the whole with the ones before it.
      if (parts.empty() || parts.back().source.getDefiningOp()->isBeforeInBlock(
                               part.destination->getOwner())) {
        parts.push_back(part);
        continue;
      }
      part.destination = nullptr;
      copied.push_back(part);
    }
    parts.append(copied);
    return parts;
  }

  Value insert(const Part &part, Value whole) {
    Value source = part.source;
    if (!part.destination)
      builder.setInsertionPoint(concat);
    if (cast<RankedTensorType>(source.getType()).getRank() != 2)
      source = tensor::CollapseShapeOp::create(
          builder, loc, source,
          matrixOf(cast<RankedTensorType>(source.getType())));
    auto matrix = cast<RankedTensorType>(source.getType());
    SmallVector<OpFoldResult> offsets = {builder.getIndexAttr(0),
                                         builder.getIndexAttr(part.first)},
                              sizes = {builder.getIndexAttr(pixels),
                                       builder.getIndexAttr(
                                           matrix.getDimSize(1))},
                              strides(2, builder.getIndexAttr(1));
    if (part.destination) {
      builder.setInsertionPoint(part.destination->getOwner());
      computeInto(*part.destination,
                  tensor::ExtractSliceOp::create(builder, loc, matrix, whole,
                                                 offsets, sizes, strides));
      builder.setInsertionPointAfter(source.getDefiningOp());
    }
    return tensor::InsertSliceOp::create(builder, loc, source, whole, offsets,
                                         sizes, strides);
  }

  tensor::ConcatOp concat;
  OpBuilder builder;
  Location loc;
  RankedTensorType type;
  int64_t pixels;
};

struct JoinInPlacePass : lh::impl::JoinInPlacePassBase<JoinInPlacePass> {
  void runOnOperation() override {
    SmallVector<tensor::ConcatOp> concats;
    getOperation()->walk([&](tensor::ConcatOp concat) {
      RankedTensorType type = concat.getResultType();
      if (type.hasStaticShape() && type.getNumElements() > 0 &&
          type.getRank() > 1 &&
          static_cast<int64_t>(concat.getDim()) + 1 == type.getRank())
        concats.push_back(concat);
    });
    for (tensor::ConcatOp concat : concats)
      Joiner(concat).run();
  }
};
} // namespace
