// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error of conversions, of rounding to integers, and of functions.
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/oracle/ErrorRules.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace lh;
using Predicate = ErrorAlgebra::Predicate;

/// Infinite where an integer of `width` bits may wrap.
Value ErrorRules::fitting(ErrorAlgebra &algebra, Value error, Value wideValue,
                          unsigned width, bool isSigned, bool isUnsigned) {
  double half = std::ldexp(1.0, static_cast<int>(width) - 1);
  double least = isSigned ? -half : 0, most = isUnsigned ? 2 * half : half;
  auto within = [&](double low, double high) {
    return algebra.both(
        algebra.compare(Predicate::OGE, algebra.minus(wideValue, error),
                        algebra.number(low)),
        algebra.compare(Predicate::OLT, algebra.plus(wideValue, error),
                        algebra.number(high)));
  };
  // Either reading will do where both are open, but one must hold throughout.
  Value fits = isSigned && isUnsigned
                   ? algebra.either(within(least, half), within(0, most))
                   : within(least, most);
  Value wraps =
      algebra.choose(isInexact(algebra, error), algebra.infinity(), Value());
  return algebra.choose(fits, error, wraps);
}

/// Truncation towards zero jumps at each integer.
Value ErrorRules::toInteger(Operation *op) {
  Value operand = op->getOperand(0), error = state.errorOf(operand);
  if (!error)
    return Value();
  ErrorAlgebra algebra(op);
  Value from = wide(operand);
  Value low = algebra.apply<math::TruncOp>(algebra.minus(from, error));
  Value high = algebra.apply<math::TruncOp>(algebra.plus(from, error));
  Value at = algebra.apply<math::TruncOp>(from);
  bool isSigned = isa<arith::FPToSIOp>(op);
  return fitting(algebra, algebra.spread(low, high, at, error), at,
                 op->getResult(0).getType().getIntOrFloatBitWidth(), isSigned,
                 !isSigned);
}

Value ErrorRules::fromInteger(Operation *op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  bool isSigned = isa<arith::SIToFPOp>(op);
  unsigned width = operand.getType().getIntOrFloatBitWidth();
  Precision precision = precisionOf(cast<FloatType>(result.getType()));
  ErrorAlgebra algebra(op);
  Value error = state.errorOf(operand);
  if (error)
    error = fitting(algebra, error, wide(operand, !isSigned), width, isSigned,
                    !isSigned);
  bool isExact = width - isSigned <= precision.bits &&
                 std::ldexp(1.0, static_cast<int>(width)) <= precision.largest;
  if (isExact)
    return error;
  error = algebra.add(error, rounding(algebra, result, 1, false));
  return withinRange(algebra, result, error, Value());
}

/// The model's own casts round in the oracle too; other narrowings are the
/// implementation's alone.
Value ErrorRules::narrowing(arith::TruncFOp op) {
  Value operand = op.getIn(), error = state.errorOf(operand);
  Value result = op.getResult();
  ErrorAlgebra algebra(op);
  if (!op->hasAttr(castMark))
    return withinRange(algebra, result,
                       algebra.add(error, rounding(algebra, result, 1, true)),
                       isInexact(algebra, error));
  if (!error)
    return Value();
  auto rounded = [&, &b = algebra.builder()](Value from) -> Value {
    auto narrow =
        arith::TruncFOp::create(b, op.getLoc(), result.getType(), from);
    narrow->setAttr(castMark, b.getUnitAttr());
    return arith::ExtFOp::create(b, op.getLoc(), b.getF64Type(),
                                 narrow.getResult());
  };
  Value from = wide(operand);
  return algebra.spread(rounded(algebra.minus(from, error)),
                        rounded(algebra.plus(from, error)), wide(result),
                        error);
}

/// Rounding to an integral number jumps between integers.
Value ErrorRules::monotoneError(Operation *op) {
  Value operand = op->getOperand(0), error = state.errorOf(operand);
  if (!error)
    return Value();
  ErrorAlgebra algebra(op);
  auto at = [&, &b = algebra.builder()](Value from) -> Value {
    OperationState same(op->getLoc(), op->getName());
    same.addOperands(from);
    same.addTypes(b.getF64Type());
    return b.create(same)->getResult(0);
  };
  Value from = wide(operand);
  return algebra.spread(at(algebra.minus(from, error)),
                        at(algebra.plus(from, error)), wide(op->getResult(0)),
                        error);
}

Value ErrorRules::conversionError(Operation *op) {
  auto resized = [&](bool isSigned, bool isUnsigned) {
    Value operand = op->getOperand(0), error = state.errorOf(operand);
    // A truth value is 0 or 1 on both sides.
    if (!error || operand.getType().isInteger(1))
      return error;
    unsigned width =
        std::min(operand.getType().getIntOrFloatBitWidth(),
                 op->getResult(0).getType().getIntOrFloatBitWidth());
    if (width == 1)
      return unknown(op);
    ErrorAlgebra algebra(op);
    return fitting(algebra, error, wide(operand, !isSigned), width, isSigned,
                   isUnsigned);
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::ExtFOp>(
          [&](auto) { return state.errorOf(op->getOperand(0)); })
      .Case<arith::TruncFOp>([&](auto cast) { return narrowing(cast); })
      .Case<arith::FPToSIOp, arith::FPToUIOp>(
          [&](auto) { return toInteger(op); })
      .Case<arith::SIToFPOp, arith::UIToFPOp>(
          [&](auto) { return fromInteger(op); })
      .Case<arith::ExtSIOp>([&](auto) { return resized(true, false); })
      .Case<arith::ExtUIOp>([&](auto) { return resized(false, true); })
      .Case<arith::TruncIOp>([&](auto) { return resized(true, true); })
      .Case<arith::AddIOp, arith::SubIOp, arith::AndIOp, arith::OrIOp,
            arith::XOrIOp>([&](auto) {
        bool isLogic = isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
        if (isLogic != op->getResult(0).getType().isInteger(1))
          return unknown(op);
        ErrorAlgebra algebra(op);
        Value left = state.errorOf(op->getOperand(0));
        Value right = state.errorOf(op->getOperand(1));
        return isLogic ? algebra.larger(left, right) : algebra.add(left, right);
      })
      .Case<math::RoundEvenOp, math::RoundOp, math::FloorOp, math::CeilOp,
            math::TruncOp>([&](auto) { return monotoneError(op); })
      .Default([&](Operation *) {
        return rounds(op) && isa<math::MathDialect>(op->getDialect())
                   ? functionError(op)
                   : unknown(op);
      });
}
