// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strips of a row: what a linalg op computes, on vectors.
#include "compiler/gaps/rows/RowVectors.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

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
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  bool isLast = yield.getOperand(0) == combiners.front()->getResult(0);
  return isLast ? combiners.front() : nullptr;
}

bool lh::takesLong(GenericOp op) {
  return !op.getBody()->getOps<math::ExpOp>().empty();
}

bool lh::combinesScalableVectors(GenericOp op) {
  return linalg::getCombinerOpKind(combinerOf(op)) !=
         vector::CombiningKind::MUL;
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

Value lh::numberIn(Value tensor, OpBuilder &builder) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return tensor;
  if (auto insert = tensor.getDefiningOp<tensor::InsertOp>())
    return insert.getScalar();
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return fill.getInputs().front();
  return tensor::ExtractOp::create(builder, tensor.getLoc(), tensor,
                                   ValueRange());
}

Value Strip::read(Value row, OpBuilder &builder) const {
  Location loc = row.getLoc();
  VectorType type = of(getElementTypeOrSelf(row.getType()));
  Value beyond = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return vector::TransferReadOp::create(
      builder, loc, type, row, begin, builder.getMultiDimIdentityMap(1), beyond,
      mask, builder.getBoolArrayAttr({true}));
}

Value Strip::write(Value numbers, Value row, OpBuilder &builder) const {
  return vector::TransferWriteOp::create(builder, row.getLoc(), row.getType(),
                                         spread(numbers, builder), row, begin,
                                         builder.getMultiDimIdentityMap(1),
                                         mask, builder.getBoolArrayAttr({true}))
      .getResult();
}

Value Strip::spread(Value number, OpBuilder &builder) const {
  if (isa<VectorType>(number.getType()))
    return number;
  return vector::BroadcastOp::create(builder, number.getLoc(),
                                     of(number.getType()), number);
}

/// One op of a body: of numbers, a number.
static Value computeOne(Operation &op, SmallVector<Value> operands,
                        const Strip &strip, OpBuilder &builder) {
  Type type = op.getResult(0).getType();
  if (llvm::any_of(operands, [](Value value) {
        return isa<VectorType>(value.getType());
      })) {
    type = strip.of(type);
    for (Value &operand : operands)
      operand = strip.spread(operand, builder);
  }
  return clone(builder, &op, type, operands)->getResult(0);
}

Value lh::computeStrip(GenericOp op, ArrayRef<Value> operands,
                       const Strip &strip, OpBuilder &builder) {
  IRMapping values;
  for (auto [argument, value] : llvm::zip(op.getRegionInputArgs(), operands))
    values.map(argument, value);
  Operation *combiner = combinerOf(op);
  for (Operation &inside : op.getBody()->without_terminator()) {
    if (&inside == combiner)
      continue;
    SmallVector<Value> mapped;
    for (Value operand : inside.getOperands())
      mapped.push_back(values.lookupOrDefault(operand));
    values.map(inside.getResult(0), computeOne(inside, mapped, strip, builder));
  }
  Value result = op.getBody()->getTerminator()->getOperand(0);
  if (combiner) {
    bool isFirst = combiner->getOperand(0) == op.getRegionOutputArgs()[0];
    result = combiner->getOperand(isFirst ? 1 : 0);
  }
  return values.lookupOrDefault(result);
}

Combination::Combination(GenericOp op, int64_t lanes, bool isScalable)
    : loc(op->getLoc()), combiner(combinerOf(op)),
      element(op.getRegionOutputArgs()[0].getType()),
      first(op.getDpsInitOperand(0)->get()), lanes(lanes),
      isScalable(isScalable) {}

bool Combination::watchesForNaN() const {
  return isa<arith::MaximumFOp, arith::MinimumFOp>(combiner);
}

Value Combination::neutral(Type type, OpBuilder &builder) const {
  TypedAttr one = *arith::getNeutralElement(combiner);
  if (auto vector = dyn_cast<VectorType>(type))
    one = DenseElementsAttr::get(vector, Attribute(one));
  return arith::ConstantOp::create(builder, loc, one);
}

Value Combination::combine(Value a, Value b, OpBuilder &builder) const {
  if (!watchesForNaN())
    return clone(builder, combiner, a.getType(), {a, b})->getResult(0);
  auto better = isa<arith::MaximumFOp>(combiner) ? arith::CmpFPredicate::OGT
                                                 : arith::CmpFPredicate::OLT;
  Value isBetter = arith::CmpFOp::create(builder, loc, better, a, b);
  return arith::SelectOp::create(builder, loc, isBetter, a, b);
}

SmallVector<Value> Combination::registersOf(Value numbers,
                                            OpBuilder &builder) const {
  SmallVector<Value> parts;
  auto type = cast<VectorType>(numbers.getType());
  int64_t size = type.getNumElements();
  if (size == lanes)
    return {numbers};
  Location at = numbers.getLoc();
  auto part = VectorType::get({lanes}, type.getElementType(), {isScalable});
  for (int64_t i = 0; i < size; i += lanes)
    parts.push_back(isScalable
                        ? Value(vector::ScalableExtractOp::create(
                              builder, at, part, numbers, i))
                        : vector::ExtractStridedSliceOp::create(
                              builder, at, numbers, ArrayRef<int64_t>{i},
                              ArrayRef<int64_t>{lanes}, ArrayRef<int64_t>{1}));
  return parts;
}

/// Two registers in one comparison.
Value Combination::areNaN(Value numbers, OpBuilder &builder) const {
  SmallVector<Value> parts = registersOf(numbers, builder);
  Value any;
  for (size_t at = 0; at < parts.size(); at += 2) {
    Value next = at + 1 < parts.size() ? parts[at + 1] : parts[at];
    Value these = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                        parts[at], next);
    any = any ? arith::OrIOp::create(builder, loc, any, these) : these;
  }
  return any;
}

SmallVector<Value> Combination::start(const Strip &strip,
                                      OpBuilder &builder) const {
  SmallVector<Value> carried{neutral(strip.of(element), builder)};
  if (watchesForNaN()) {
    auto flags = VectorType::get({lanes}, builder.getI1Type(), {isScalable});
    carried.push_back(arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(flags, false)));
  }
  return carried;
}

SmallVector<Value> Combination::add(ValueRange carried, Value numbers,
                                    const Strip &strip,
                                    OpBuilder &builder) const {
  numbers = strip.spread(numbers, builder);
  if (strip.mask)
    numbers = arith::SelectOp::create(builder, loc, strip.mask, numbers,
                                      neutral(numbers.getType(), builder));
  SmallVector<Value> sums{combine(numbers, carried[0], builder)};
  if (watchesForNaN())
    sums.push_back(arith::OrIOp::create(builder, loc, carried[1],
                                        areNaN(numbers, builder)));
  return sums;
}

/// Pairs of pairs, which needn't wait for each other.
Value Combination::tree(SmallVector<Value> parts, OpBuilder &builder) const {
  while (parts.size() > 1) {
    size_t half = (parts.size() + 1) / 2;
    for (size_t i = half; i < parts.size(); ++i)
      parts[i - half] = combine(parts[i - half], parts[i], builder);
    parts.resize(half);
  }
  return parts.front();
}

Value Combination::finish(ArrayRef<ValueRange> carried,
                          OpBuilder &builder) const {
  SmallVector<Value> parts;
  Value flags;
  for (ValueRange each : carried) {
    parts.append(registersOf(each[0], builder));
    if (each.size() > 1)
      flags = flags ? arith::OrIOp::create(builder, loc, flags, each[1])
                    : Value(each[1]);
  }
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combiner);
  arith::FastMathFlags promise = arith::FastMathFlags::none;
  if (flags) {
    kind = kind == vector::CombiningKind::MAXIMUMF
               ? vector::CombiningKind::MAXNUMF
               : vector::CombiningKind::MINNUMF;
    promise = arith::FastMathFlags::nnan;
  }
  Value all = vector::ReductionOp::create(builder, loc, kind,
                                          tree(parts, builder), promise);
  if (flags) {
    Value any = vector::ReductionOp::create(builder, loc,
                                            vector::CombiningKind::OR, flags);
    auto type = cast<FloatType>(all.getType());
    Value none = arith::ConstantOp::create(
        builder, loc,
        FloatAttr::get(type, APFloat::getNaN(type.getFloatSemantics())));
    all = arith::SelectOp::create(builder, loc, any, none, all);
  }
  Value start = numberIn(first, builder);
  if (matchPattern(start, m_Constant()) &&
      start.getDefiningOp<arith::ConstantOp>().getValue() ==
          *arith::getNeutralElement(combiner))
    return all;
  return clone(builder, combiner, all.getType(), {all, start})->getResult(0);
}
