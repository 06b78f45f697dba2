// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error of one scalar operation; docs/numerics.md, "Derived bounds".
#include "compiler/gaps/oracle/ErrorRules.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace lh;
using Predicate = ErrorAlgebra::Predicate;

bool ErrorRules::rounds(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return false;
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
          arith::RemFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>(op))
    return true;
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::CeilOp, math::FloorOp, math::TruncOp,
              math::RoundOp, math::RoundEvenOp, math::CopySignOp>(op);
}

Value ErrorRules::wide(Value value, bool isUnsigned) {
  Type type = value.getType();
  if (type.isF64())
    return value;
  isUnsigned |= type.isInteger(1);
  if (Value known = isUnsigned ? Value() : wides.lookup(value))
    return known;
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  Value wide = value;
  if (type.isIndex())
    wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), wide);
  if (isa<FloatType>(type))
    wide = arith::ExtFOp::create(b, loc, b.getF64Type(), wide);
  else if (isUnsigned)
    return arith::UIToFPOp::create(b, loc, b.getF64Type(), wide);
  else
    wide = arith::SIToFPOp::create(b, loc, b.getF64Type(), wide);
  wides[value] = wide;
  return wide;
}

double ErrorRules::underflow(const Precision &precision) const {
  return model.flushToZero ? precision.smallestNormal : precision.smallest;
}

/// What rounding a result adds: `units` half ULPs, and what is lost near zero.
Value ErrorRules::rounding(ErrorAlgebra &algebra, Value result, double units,
                           bool underflows) {
  Precision precision = precisionOf(cast<FloatType>(result.getType()));
  Value size = algebra.magnitude(wide(result));
  Value error = algebra.scale(size, units * precision.unit);
  if (state.knows(result, Integral))
    return algebra.choose(
        algebra.compare(Predicate::OLE, size,
                        algebra.number(precision.exactIntegers)),
        Value(), error);
  if (underflows || model.flushToZero)
    error = algebra.add(error, algebra.number(underflow(precision)));
  return error;
}

/// A number that isn't finite has no error if its class is certain; where
/// overflow may or may not happen the error is infinite.
Value ErrorRules::withinRange(ErrorAlgebra &algebra, Value result, Value error,
                              Value ambiguous) {
  if (!error || !checksRange)
    return error;
  Precision precision = precisionOf(cast<FloatType>(result.getType()));
  Value size = algebra.magnitude(wide(result));
  Value fits = algebra.compare(Predicate::OLE, algebra.add(size, error),
                               algebra.number(precision.largest));
  Value open = algebra.compare(Predicate::OLT, size, algebra.infinity());
  if (ambiguous)
    open = algebra.either(open, ambiguous);
  return algebra.choose(fits, error,
                        algebra.choose(open, algebra.infinity(), Value()));
}

/// True where the true value may have the other sign or be zero.
Value ErrorRules::hidesSign(ErrorAlgebra &algebra, Value operand) {
  Value error = state.errorOf(operand);
  if (!error)
    return Value();
  Value reaches =
      algebra.compare(Predicate::ULE, algebra.magnitude(wide(operand)), error);
  return algebra.both(reaches, isInexact(algebra, error));
}

Value ErrorRules::isInexact(ErrorAlgebra &algebra, Value error) {
  return error ? algebra.compare(Predicate::UNE, error, algebra.number(0))
               : Value();
}

static Value eitherOf(ErrorAlgebra &algebra, Value a, Value b) {
  return a && b ? algebra.either(a, b) : (a ? a : b);
}

Value ErrorRules::sum(Operation *op) {
  ErrorAlgebra algebra(op);
  Value inherited = algebra.add(state.errorOf(op->getOperand(0)),
                                state.errorOf(op->getOperand(1)));
  Value result = op->getResult(0);
  Value error = algebra.add(inherited, rounding(algebra, result, 1, false));
  Value ambiguous;
  if (checksRange && inherited)
    ambiguous = algebra.compare(Predicate::UEQ, inherited, algebra.infinity());
  return withinRange(algebra, result, error, ambiguous);
}

/// |a| eb + |b| ea + ea eb.
Value ErrorRules::productGrowth(ErrorAlgebra &algebra, Value a, Value b) {
  Value errorA = state.errorOf(a), errorB = state.errorOf(b);
  Value growth =
      errorB ? algebra.multiply(algebra.magnitude(wide(a)), errorB) : Value();
  if (errorA)
    growth = algebra.add(growth,
                         algebra.multiply(algebra.magnitude(wide(b)), errorA));
  return algebra.add(growth, algebra.multiply(errorA, errorB));
}

/// Whether a factor is 1, 1/2, 1/4, ...: products by it are exact but for
/// underflow.
static bool isFractionOfTwo(Value factor) {
  FloatAttr constant;
  return matchPattern(factor, m_Constant(&constant)) &&
         constant.getValue().isFiniteNonZero() &&
         constant.getValue().getExactLog2Abs() != INT_MIN &&
         constant.getValue().getExactLog2Abs() <= 0;
}

Value ErrorRules::product(Operation *op) {
  ErrorAlgebra algebra(op);
  Value left = op->getOperand(0), right = op->getOperand(1);
  Value error = productGrowth(algebra, left, right);
  Value result = op->getResult(0);
  if (!isa<FloatType>(result.getType()))
    return error;
  bool shifts = isFractionOfTwo(left) || isFractionOfTwo(right);
  bool shrinks =
      !shifts || !(state.knows(left, Integral) || state.knows(right, Integral));
  error =
      algebra.add(error, rounding(algebra, result, shifts ? 0 : 1, shrinks));
  if (!checksRange)
    return error;
  return withinRange(
      algebra, result, error,
      eitherOf(algebra, hidesSign(algebra, left), hidesSign(algebra, right)));
}

Value ErrorRules::fusedProduct(Operation *op) {
  ErrorAlgebra algebra(op);
  Value inherited =
      algebra.add(productGrowth(algebra, op->getOperand(0), op->getOperand(1)),
                  state.errorOf(op->getOperand(2)));
  Value result = op->getResult(0);
  // Unfused, the product is rounded too.
  Value product = algebra.apply<arith::MulFOp>(wide(op->getOperand(0)),
                                               wide(op->getOperand(1)));
  Precision precision = precisionOf(cast<FloatType>(result.getType()));
  Value error =
      algebra.add(algebra.add(inherited, rounding(algebra, result, 1, true)),
                  algebra.scale(algebra.magnitude(product), precision.unit));
  return withinRange(algebra, result, error, isInexact(algebra, inherited));
}

/// (ea + |q| eb) / (|b| - eb), infinite where b may be zero.
Value ErrorRules::quotient(Operation *op) {
  ErrorAlgebra algebra(op);
  Value over = op->getOperand(0), under = op->getOperand(1);
  Value result = op->getResult(0);
  Value errorUnder = state.errorOf(under);
  Value inherited = state.errorOf(over);
  if (errorUnder)
    inherited =
        algebra.add(inherited, algebra.multiply(algebra.magnitude(wide(result)),
                                                errorUnder));
  Value zero = hidesSign(algebra, under);
  if (inherited)
    inherited = algebra.divide(
        inherited, algebra.minus(algebra.magnitude(wide(under)), errorUnder));
  if (zero)
    inherited = algebra.choose(zero, algebra.infinity(), inherited);
  Value error = algebra.add(inherited, rounding(algebra, result, 1, true));
  if (!checksRange)
    return error;
  return withinRange(algebra, result, error,
                     eitherOf(algebra, zero, hidesSign(algebra, over)));
}

/// The larger or smaller of two: monotone in both.
Value ErrorRules::extremum(Operation *op, Value a, Value c, bool largest,
                           bool isUnsigned) {
  Value errorA = state.errorOf(a), errorC = state.errorOf(c);
  if (!errorA && !errorC)
    return Value();
  ErrorAlgebra algebra(op);
  Value wideA = wide(a, isUnsigned), wideC = wide(c, isUnsigned);
  auto pick = [&](Value x, Value y) {
    return largest ? algebra.larger(x, y) : algebra.smaller(x, y);
  };
  Value low = pick(algebra.minus(wideA, errorA), algebra.minus(wideC, errorC));
  Value high = pick(algebra.plus(wideA, errorA), algebra.plus(wideC, errorC));
  return algebra.spread(low, high, wide(op->getResult(0), isUnsigned),
                        algebra.add(errorA, errorC));
}

/// `select(a < b, a, b)` and its like: 1 if the larger is taken, 0 if the
/// smaller, -1 if the condition is no comparison of the two.
static int takesLarger(arith::SelectOp op, bool &isUnsigned) {
  Operation *compare = op.getCondition().getDefiningOp();
  if (!compare || !isa<arith::CmpFOp, arith::CmpIOp>(compare))
    return -1;
  Value a = compare->getOperand(0), b = compare->getOperand(1);
  bool swapped = a == op.getFalseValue() && b == op.getTrueValue();
  if (!swapped && (a != op.getTrueValue() || b != op.getFalseValue()))
    return -1;
  bool greater = false, less = false;
  if (auto floats = dyn_cast<arith::CmpFOp>(compare)) {
    using P = arith::CmpFPredicate;
    P is = floats.getPredicate();
    greater = is == P::OGT || is == P::OGE || is == P::UGT || is == P::UGE;
    less = is == P::OLT || is == P::OLE || is == P::ULT || is == P::ULE;
  } else {
    using P = arith::CmpIPredicate;
    P is = cast<arith::CmpIOp>(compare).getPredicate();
    isUnsigned = is == P::ugt || is == P::uge || is == P::ult || is == P::ule;
    greater = is == P::sgt || is == P::sge || is == P::ugt || is == P::uge;
    less = is == P::slt || is == P::sle || is == P::ult || is == P::ule;
  }
  if (!greater && !less)
    return -1;
  return greater != swapped;
}

Value ErrorRules::selection(arith::SelectOp op) {
  Value a = op.getTrueValue(), c = op.getFalseValue();
  Value errorA = state.errorOf(a), errorC = state.errorOf(c);
  Value doubt = state.errorOf(op.getCondition());
  bool isUnsigned = false;
  int larger = takesLarger(op, isUnsigned);
  if (doubt && larger >= 0)
    return extremum(op, a, c, larger, isUnsigned);
  if (!doubt && !errorA && !errorC)
    return Value();
  ErrorAlgebra algebra(op);
  Value error = algebra.choose(op.getCondition(), errorA, errorC);
  if (!doubt)
    return error;
  Value wideA = wide(a), wideC = wide(c);
  Value gap = algebra.magnitude(algebra.subtract(wideA, wideC));
  gap = algebra.choose(algebra.compare(Predicate::UNO, gap, gap),
                       algebra.infinity(), gap);
  gap = algebra.choose(algebra.compare(Predicate::OEQ, wideA, wideC), Value(),
                       gap);
  Value other = algebra.choose(op.getCondition(), errorC, errorA);
  other = algebra.larger(error, algebra.add(other, gap));
  return algebra.choose(isInexact(algebra, doubt), other, error);
}

/// 1 where the comparison may go either way, else 0.
Value ErrorRules::comparison(Operation *op) {
  Value a = op->getOperand(0), c = op->getOperand(1);
  ErrorAlgebra algebra(op);
  Value reach = algebra.add(state.errorOf(a), state.errorOf(c));
  if (!reach)
    return Value();
  Value doubtful;
  bool isUnsigned = false, asksForNan = a == c;
  if (auto floats = dyn_cast<arith::CmpFOp>(op))
    asksForNan |= floats.getPredicate() == Predicate::ORD ||
                  floats.getPredicate() == Predicate::UNO;
  else
    isUnsigned =
        cast<arith::CmpIOp>(op).getPredicate() >= arith::CmpIPredicate::ult;
  if (asksForNan) {
    doubtful = algebra.compare(Predicate::UEQ, reach, algebra.infinity());
  } else {
    Value gap = algebra.magnitude(
        algebra.subtract(wide(a, isUnsigned), wide(c, isUnsigned)));
    doubtful = algebra.both(algebra.compare(Predicate::ULE, gap, reach),
                            isInexact(algebra, reach));
  }
  return algebra.choose(doubtful, algebra.number(1), algebra.number(0));
}

/// Anything may come of an inexact operand.
Value ErrorRules::unknown(Operation *op) {
  ErrorAlgebra algebra(op);
  Value inherited;
  for (Value operand : op->getOperands())
    inherited = algebra.add(inherited, state.errorOf(operand));
  if (!inherited)
    return Value();
  return algebra.choose(isInexact(algebra, inherited), algebra.infinity(),
                        Value());
}

Value ErrorRules::errorOf(Operation *op) {
  auto extreme = [&](bool largest, bool isUnsigned = false) {
    return extremum(op, op->getOperand(0), op->getOperand(1), largest,
                    isUnsigned);
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::AddFOp, arith::SubFOp>([&](auto) { return sum(op); })
      .Case<arith::MulFOp, arith::MulIOp>([&](auto) { return product(op); })
      .Case<arith::DivFOp>([&](auto) { return quotient(op); })
      .Case<math::FmaOp>([&](auto) { return fusedProduct(op); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(
          [&](auto) { return extreme(true); })
      .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(
          [&](auto) { return extreme(false); })
      .Case<arith::MaxUIOp>([&](auto) { return extreme(true, true); })
      .Case<arith::MinUIOp>([&](auto) { return extreme(false, true); })
      .Case<arith::SelectOp>([&](auto select) { return selection(select); })
      .Case<arith::CmpFOp, arith::CmpIOp>([&](auto) { return comparison(op); })
      .Case<arith::NegFOp, math::AbsFOp, math::AbsIOp>(
          [&](auto) { return state.errorOf(op->getOperand(0)); })
      .Default([&](Operation *) { return conversionError(op); });
}

LogicalResult ErrorRules::apply(Operation *op, bool checks) {
  if (op->getNumResults() != 1)
    return success();
  checksRange = checks;
  Value result = op->getResult(0);
  state.facts[result] = factsOf(op, state);
  unsigned depth = 0;
  bool exact = true;
  for (Value operand : op->getOperands()) {
    depth = std::max(depth, state.depths.lookup(operand));
    exact &= !state.errorOf(operand);
  }
  if (exact && !rounds(op))
    return success();
  if (!exact && result.getType().isIndex())
    return state.refuse(op, "computes an index from rounded numbers");
  auto isUnknownFloat = [](Type type) {
    auto number = dyn_cast<FloatType>(type);
    return number && number.getWidth() > 64;
  };
  if (isUnknownFloat(result.getType()) || !result.getType().isIntOrFloat())
    return state.refuse(op, "computes on a type that has no error rules");
  state.set(result, errorOf(op), depth);
  return success();
}
