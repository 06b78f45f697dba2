// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform.lh.vectorize_lanes: a small op point by point, on vectors.
#include "compiler/transform/LeaveOut.h"
#include "compiler/transform/TransformOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace lh;
using namespace mlir;

namespace {
/// What the lanes read of an operand at one point: numbers of one row of it.
struct LanesRead {
  SmallVector<int64_t> row, lanes;

  /// None where they read more than one row.
  static std::optional<LanesRead> from(AffineMap map, SmallVector<int64_t> at,
                                       unsigned loop, int64_t count) {
    LanesRead read;
    for (at[loop] = 0; at[loop] < count; ++at[loop]) {
      SmallVector<int64_t> element = map.compose(at);
      if (element.empty())
        return std::nullopt;
      read.lanes.push_back(element.pop_back_val());
      if (at[loop] > 0 && element != read.row)
        return std::nullopt;
      read.row = element;
    }
    return read;
  }

  /// The lanes' numbers of that row.
  Value of(OpBuilder &builder, Location loc, Value vector) const {
    int64_t width = cast<VectorType>(vector.getType()).getNumElements();
    if (llvm::equal(lanes, llvm::seq(width)))
      return vector;
    return vector::ShuffleOp::create(builder, loc, vector, vector, lanes);
  }
};

/// A `linalg.generic` of known sizes on tensors, whose result's innermost loop
/// is that of the lanes.
struct PointByPoint {
  linalg::GenericOp op;
  OpBuilder &builder;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  AffineMap result = op.getIndexingMapsArray().back();
  unsigned loop = result.getDimPosition(result.getNumResults() - 1);
  Value sums = read(op.getDpsInits()[0], {});

  Value index(int64_t number) {
    return arith::ConstantIndexOp::create(builder, op.getLoc(), number);
  }

  /// What lies behind the first numbers of its place, `at`.
  Value read(Value tensor, ArrayRef<int64_t> at) {
    auto type = cast<RankedTensorType>(tensor.getType());
    ArrayRef<int64_t> shape = type.getShape().drop_front(at.size());
    SmallVector<Value> begin;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      begin.push_back(index(dim < std::ssize(at) ? at[dim] : 0));
    return vector::TransferReadOp::create(
        builder, op.getLoc(), VectorType::get(shape, type.getElementType()),
        tensor, begin, /*padding=*/std::nullopt,
        SmallVector<bool>(shape.size(), true));
  }

  /// The body on vectors; what comes from outside of it is in every lane.
  Value compute(ArrayRef<Value> arguments) {
    IRMapping mapping;
    mapping.map(op.getBody()->getArguments(), arguments);
    for (Operation &scalar : op.getBody()->without_terminator()) {
      for (Value operand : scalar.getOperands())
        if (!mapping.contains(operand))
          mapping.map(operand,
                      vector::BroadcastOp::create(
                          builder, op.getLoc(),
                          VectorType::get(sizes[loop], operand.getType()),
                          operand));
      Operation *copy = builder.clone(scalar, mapping);
      for (OpResult result : copy->getResults())
        result.setType(VectorType::get(sizes[loop], result.getType()));
    }
    return mapping.lookup(op.getBody()->getTerminator()->getOperand(0));
  }

  /// False where the lanes read several rows of an operand.
  bool computePoint(ArrayRef<int64_t> point) {
    std::optional<LanesRead> at;
    SmallVector<Value> arguments;
    for (OpOperand &operand : op->getOpOperands()) {
      at = LanesRead::from(op.getMatchingIndexingMap(&operand),
                           llvm::to_vector(point), loop, sizes[loop]);
      if (!at)
        return false;
      Value row =
          op.isDpsInput(&operand) ? read(operand.get(), at->row)
          : at->row.empty()
              ? sums
              : vector::ExtractOp::create(builder, op.getLoc(), sums, at->row);
      arguments.push_back(at->of(builder, op.getLoc(), row));
    }
    Value result = compute(arguments);
    sums = at->row.empty() ? result
                           : vector::InsertOp::create(builder, op.getLoc(),
                                                      result, sums, at->row);
    return true;
  }

  /// Sums first, the innermost of them outermost: a vector that is shuffled for
  /// one of its channels serves all pixels that read it.
  bool computePoints() {
    SmallVector<unsigned> sums, others;
    op.getReductionDims(sums);
    op.getParallelDims(others);
    SmallVector<int64_t> order(sums.rbegin(), sums.rend());
    order.append(others.begin(), others.end());
    SmallVector<int64_t> steps(sizes.size(), 1);
    steps[loop] = sizes[loop];
    return llvm::all_of(
        StaticTileOffsetRange(sizes, steps, order),
        [&](ArrayRef<int64_t> point) { return computePoint(point); });
  }
};
} // namespace

/// Whether every loop, operand and op of the body has a vector form.
static bool hasVectors(linalg::GenericOp op) {
  AffineMap result = op.getIndexingMapsArray().back();
  return op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
         !op.hasDynamicShape() && result.getNumResults() > 0 &&
         result.isProjectedPermutation() &&
         llvm::all_of(op.getBody()->without_terminator(), [](Operation &body) {
           return OpTrait::hasElementwiseMappableTraits(&body);
         });
}

DiagnosedSilenceableFailure VectorizeLanesOp::applyToOne(
    transform::TransformRewriter &rewriter, linalg::GenericOp target,
    transform::ApplyToEachResultList &, transform::TransformState &) {
  if (!hasVectors(target))
    return emitSilenceableError() << "sizes or a body without vectors";
  if (isLeftOut(*this))
    return DiagnosedSilenceableFailure::success();
  rewriter.setInsertionPoint(target);
  PointByPoint points{target, rewriter};
  if (!points.computePoints())
    return emitSilenceableError() << "lanes that read several rows";
  SmallVector<Value> begin(points.result.getNumResults(), points.index(0));
  rewriter.replaceOpWithNewOp<vector::TransferWriteOp>(
      target, points.sums, target.getDpsInits()[0], begin,
      SmallVector<bool>(begin.size(), true));
  return DiagnosedSilenceableFailure::success();
}

void VectorizeLanesOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle(getTargetMutable(), effects);
  transform::modifiesPayload(effects);
}
