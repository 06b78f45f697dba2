// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which linalg ops are computed a strip of a row at a time, and which of them
// in one loop.
#include "compiler/gaps/rows/RowVectors.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace lh;
using namespace mlir;
using linalg::GenericOp;

/// Divisions, which an element beyond the row would do by anything.
static bool isUnsafe(Operation &op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

static bool isOnElements(Operation &op) {
  if (isa<linalg::YieldOp>(op))
    return true;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return constant.getType().isIntOrFloat();
  return op.getNumRegions() == 0 && op.getNumResults() == 1 &&
         op.getResult(0).getType().isIntOrFloat() && !isUnsafe(op) &&
         OpTrait::hasElementwiseMappableTraits(&op);
}

/// A whole row, in order, or one number.
static bool isRowOrNumber(OpOperand &operand, GenericOp op) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Type element = getElementTypeOrSelf(operand.get().getType());
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() >= 8 &&
         (map.getNumResults() == 0 || (map.isIdentity() && op.getNumLoops()));
}

Operation *lh::combinerOf(GenericOp op) {
  if (op.getNumReductionLoops() != 1)
    return nullptr;
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1 || !linalg::getCombinerOpKind(combiners.front()) ||
      !arith::getNeutralElement(combiners.front()))
    return nullptr;
  return combiners.front();
}

bool lh::takesLong(GenericOp op) {
  return !op.getBody()->getOps<math::ExpOp>().empty();
}

bool lh::isRowOp(GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumLoops() > 1 ||
      op->getNumResults() != 1 || op.hasIndexSemantics())
    return false;
  if (!llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
        return isRowOrNumber(operand, op);
      }))
    return false;
  if (!llvm::all_of(op.getBody()->getOperations(), isOnElements))
    return false;
  if (op.getNumReductionLoops())
    return combinerOf(op);
  OpOperand *init = op.getDpsInitOperand(0);
  return !op.payloadUsesValueFromOperand(init) &&
         op.getMatchingIndexingMap(init).getNumResults() == op.getNumLoops();
}

/// Whether the op computes a row that can be computed in the loop of
/// `reduction`: nobody reads it before that.
static bool canMoveTo(GenericOp op, GenericOp reduction) {
  return op && isRowOp(op) && op.getNumParallelLoops() == 1 &&
         op->getBlock() == reduction->getBlock() &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
           return here == reduction ||
                  (here && reduction->isBeforeInBlock(here));
         });
}

/// Whether the op reads a row that one of the phase overwrites.
static bool readsOverwritten(GenericOp op, const Phase &phase) {
  return llvm::any_of(phase.elementwise, [&](GenericOp other) {
    Value row = other.getDpsInits()[0];
    return llvm::is_contained(op.getDpsInputs(), row) &&
           op->isBeforeInBlock(other);
  });
}

Phase lh::phaseOf(GenericOp op) {
  if (op.getNumReductionLoops() == 0)
    return {{op}, nullptr};
  Phase phase{{}, op};
  auto join = [&](GenericOp other) {
    if (!llvm::is_contained(phase.elementwise, other))
      phase.elementwise.push_back(other);
  };
  for (OpOperand *input : op.getDpsInputOperands())
    if (auto producer = input->get().getDefiningOp<GenericOp>();
        canMoveTo(producer, op) &&
        op.getMatchingIndexingMap(input).getNumResults() == 1)
      join(producer);
  for (auto other : op->getBlock()->getOps<GenericOp>())
    if (canMoveTo(other, op) && readsOverwritten(other, phase))
      join(other);
  llvm::sort(phase.elementwise,
             [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
  return phase;
}

Value lh::numberIn(Value tensor, OpBuilder &builder) {
  if (!isa<RankedTensorType>(tensor.getType()))
    return tensor;
  if (auto insert = tensor.getDefiningOp<tensor::InsertOp>())
    return insert.getScalar();
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return fill.getInputs().front();
  return tensor::ExtractOp::create(builder, tensor.getLoc(), tensor,
                                   ValueRange());
}

Value Strip::read(Value row) const {
  Location loc = row.getLoc();
  VectorType type = of(getElementTypeOrSelf(row.getType()));
  Value beyond = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return vector::TransferReadOp::create(
      builder, loc, type, row, begin, builder.getMultiDimIdentityMap(1), beyond,
      mask, builder.getBoolArrayAttr({true}));
}

Value Strip::write(Value numbers, Value row) const {
  return vector::TransferWriteOp::create(builder, row.getLoc(), row.getType(),
                                         spread(numbers), row, begin,
                                         builder.getMultiDimIdentityMap(1),
                                         mask, builder.getBoolArrayAttr({true}))
      .getResult();
}

Value Strip::spread(Value number) const {
  if (isa<VectorType>(number.getType()))
    return number;
  return vector::BroadcastOp::create(builder, number.getLoc(),
                                     of(number.getType()), number);
}

/// One op of a body: of numbers, a number.
static Value computeOne(Operation &op, SmallVector<Value> operands,
                        const Strip &strip) {
  Type type = op.getResult(0).getType();
  if (llvm::any_of(ValueRange(operands).getTypes(),
                   llvm::IsaPred<VectorType>)) {
    type = strip.of(type);
    for (Value &operand : operands)
      operand = strip.spread(operand);
  }
  return clone(strip.builder, &op, type, operands)->getResult(0);
}

Value Strip::compute(GenericOp op, ArrayRef<Value> operands) const {
  IRMapping values;
  values.map(op.getRegionInputArgs(), operands);
  Operation *combiner = combinerOf(op);
  for (Operation &inside : op.getBody()->without_terminator()) {
    if (&inside == combiner)
      continue;
    auto mapped = llvm::map_to_vector(inside.getOperands(), [&](Value operand) {
      return values.lookupOrDefault(operand);
    });
    values.map(inside.getResult(0), computeOne(inside, mapped, *this));
  }
  Value result = op.getBody()->getTerminator()->getOperand(0);
  if (combiner) {
    bool isFirst = combiner->getOperand(0) == op.getRegionOutputArgs()[0];
    result = combiner->getOperand(isFirst ? 1 : 0);
  }
  return values.lookupOrDefault(result);
}
