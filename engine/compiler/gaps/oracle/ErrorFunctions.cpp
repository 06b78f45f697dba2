// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error of exp, tanh, pow and their like, and facts about results.
#include "compiler/gaps/oracle/ErrorRules.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace lh;
using Predicate = ErrorAlgebra::Predicate;

/// The ULPs that glibc's manual grants its own functions ("Errors in Math
/// Functions"): no correct build errs less.
static double ulpOf(Operation *op) {
  if (isa<math::SinhOp, math::CoshOp, math::TanhOp, math::AsinhOp,
          math::AcoshOp, math::AtanhOp, math::Log10Op, math::Log1pOp>(op))
    return 2;
  return 1;
}

/// Polynomials in f32, which is what declared units stand for, take results
/// below its smallest normal number for zero.
static constexpr double lostByPolynomials = 0x1p-126;

/// At least exp(e) - 1, and exact for small errors: upstream's lowering of
/// expm1 subtracts, so says 0 there.
static Value growth(ErrorAlgebra &algebra, Value error) {
  return algebra.multiply(error, algebra.apply<math::ExpOp>(error));
}

Value ErrorRules::power(Operation *op, ErrorAlgebra &algebra) {
  Value base = op->getOperand(0), exponent = op->getOperand(1);
  Value errorBase = state.errorOf(base), errorPower = state.errorOf(exponent);
  Value size = algebra.magnitude(wide(base));
  FloatAttr constant;
  // With a constant power p >= 1: the slope at the far end.
  if (!errorPower && matchPattern(exponent, m_Constant(&constant)) &&
      constant.getValueAsDouble() >= 1) {
    double power = constant.getValueAsDouble();
    Value slope = algebra.apply<math::PowFOp>(algebra.plus(size, errorBase),
                                              algebra.number(power - 1));
    return algebra.multiply(errorBase, algebra.scale(slope, power));
  }
  // Else |r| (exp(|p| da + dp |ln a|) - 1), da the error of ln a.
  Value moved;
  if (errorBase) {
    Value room = algebra.subtract(size, errorBase);
    Value relative = algebra.divide(errorBase, room);
    relative = algebra.choose(
        algebra.compare(Predicate::OGT, room, algebra.number(0)), relative,
        algebra.choose(isInexact(algebra, errorBase), algebra.infinity(),
                       Value()));
    moved = algebra.multiply(
        relative, algebra.plus(algebra.magnitude(wide(exponent)), errorPower));
  }
  if (errorPower)
    moved = algebra.add(
        moved,
        algebra.multiply(errorPower,
                         algebra.magnitude(algebra.apply<math::LogOp>(size))));
  return algebra.multiply(algebra.magnitude(wide(op->getResult(0))),
                          growth(algebra, moved));
}

namespace {
/// How functions of one number pass on the error of their argument: bounds on
/// |f(y) - f(x)| for |y - x| <= e.
class Propagation {
public:
  Propagation(ErrorAlgebra &algebra, Value x, Value r, Value e, bool positive)
      : algebra(algebra), x(x), r(r), e(e), isNonNegative(positive) {}

  /// Null for a function without a rule.
  Value through(Operation *op);

private:
  Value squareRoot();
  Value reciprocalRoot();
  Value tangent();
  Value hyperbolic(Operation *op);
  Value logarithm(double scale, double shift);
  Value inverse(Operation *op);
  /// e, or infinite unless `inside` is positive.
  Value over(Value denominator, Value inside);
  /// The argument nearest zero: max(|value| - e, 0).
  Value nearest(Value value);
  Value farthest() { return algebra.plus(algebra.magnitude(x), e); }
  Value square(Value a) { return algebra.multiply(a, a); }
  Value oneMinus(Value a) { return algebra.subtract(algebra.number(1), a); }

  ErrorAlgebra &algebra;
  Value x, r, e;
  bool isNonNegative;
};
} // namespace

Value Propagation::nearest(Value value) {
  return algebra.larger(algebra.subtract(algebra.magnitude(value), e),
                        algebra.number(0));
}

Value Propagation::over(Value denominator, Value inside) {
  return algebra.choose(
      algebra.compare(Predicate::OGT, inside, algebra.number(0)),
      algebra.divide(e, denominator), algebra.infinity());
}

/// |sqrt y - sqrt x| is at most e / sqrt x and at most sqrt e.
Value Propagation::squareRoot() {
  Value error =
      algebra.smaller(algebra.divide(e, r), algebra.apply<math::SqrtOp>(e));
  if (isNonNegative)
    return error;
  return algebra.choose(algebra.compare(Predicate::ULT, x, e),
                        algebra.infinity(), error);
}

Value Propagation::reciprocalRoot() {
  Value low = algebra.subtract(x, e);
  Value cube = algebra.multiply(low, algebra.apply<math::SqrtOp>(low));
  return algebra.scale(over(cube, low), 0.5);
}

/// tan(x + e) - tan x = (1 + r^2) t / (1 - r t) with t = tan e.
Value Propagation::tangent() {
  Value step = algebra.apply<math::TanOp>(e);
  Value room = oneMinus(algebra.multiply(algebra.magnitude(r), step));
  Value slope = algebra.add(algebra.number(1), square(r));
  Value error = algebra.divide(algebra.multiply(step, slope), room);
  Value small =
      algebra.both(algebra.compare(Predicate::OGT, room, algebra.number(0)),
                   algebra.compare(Predicate::OLT, e, algebra.number(1)));
  return algebra.choose(small, error, algebra.infinity());
}

/// The difference of logarithms is at most e / (x - e).
Value Propagation::logarithm(double scale, double shift) {
  Value low = algebra.subtract(x, e);
  if (shift != 0)
    low = algebra.add(low, algebra.number(shift));
  return algebra.scale(over(low, low), scale);
}

Value Propagation::inverse(Operation *op) {
  auto root = [&](Value a) { return algebra.apply<math::SqrtOp>(a); };
  Value one = algebra.number(1);
  if (isa<math::AtanOp>(op))
    return algebra.divide(e, algebra.add(one, square(nearest(x))));
  if (isa<math::AsinhOp>(op))
    return algebra.divide(e, root(algebra.add(one, square(nearest(x)))));
  if (isa<math::AcoshOp>(op)) {
    Value low = algebra.subtract(x, e);
    Value inside = algebra.subtract(square(low), one);
    return algebra.choose(algebra.compare(Predicate::OGT, low, one),
                          algebra.divide(e, root(inside)), algebra.infinity());
  }
  Value inside = oneMinus(square(farthest()));
  return over(isa<math::AtanhOp>(op) ? inside : root(inside), inside);
}

Value Propagation::through(Operation *op) {
  auto steepest = [&] {
    return algebra.multiply(e, algebra.apply<math::CoshOp>(farthest()));
  };
  auto grown = [&](Value size, double factor) {
    return algebra.multiply(size, growth(algebra, algebra.scale(e, factor)));
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<math::ExpOp>([&](auto) { return grown(r, 1); })
      .Case<math::Exp2Op>([&](auto) { return grown(r, std::log(2.0)); })
      .Case<math::ExpM1Op>(
          [&](auto) { return grown(algebra.add(r, algebra.number(1)), 1); })
      .Case<math::LogOp>([&](auto) { return logarithm(1, 0); })
      .Case<math::Log1pOp>([&](auto) { return logarithm(1, 1); })
      .Case<math::Log2Op>([&](auto) { return logarithm(1.4426950409, 0); })
      .Case<math::Log10Op>([&](auto) { return logarithm(0.4342944820, 0); })
      .Case<math::SqrtOp>([&](auto) { return squareRoot(); })
      .Case<math::RsqrtOp>([&](auto) { return reciprocalRoot(); })
      .Case<math::TanhOp>([&](auto) {
        return algebra.multiply(e, oneMinus(square(nearest(r))));
      })
      .Case<math::ErfOp>([&](auto) {
        // The slope is 2/sqrt(pi) exp(-x^2).
        Value power = algebra.scale(square(nearest(x)), -1);
        return algebra.scale(
            algebra.multiply(e, algebra.apply<math::ExpOp>(power)),
            1.1283791671);
      })
      .Case<math::SinOp, math::CosOp>([&](auto) { return e; })
      .Case<math::TanOp>([&](auto) { return tangent(); })
      .Case<math::SinhOp, math::CoshOp>([&](auto) { return steepest(); })
      .Case<math::AtanOp, math::AsinhOp, math::AcoshOp, math::AtanhOp,
            math::AsinOp, math::AcosOp>([&](auto) { return inverse(op); })
      .Default([](Operation *) { return Value(); });
}

Value ErrorRules::propagated(Operation *op, ErrorAlgebra &algebra) {
  bool exact = llvm::none_of(op->getOperands(), [&](Value operand) {
    return state.errorOf(operand) != nullptr;
  });
  if (exact)
    return Value();
  Value error;
  if (isa<math::PowFOp>(op)) {
    error = power(op, algebra);
  } else if (op->getNumOperands() == 1) {
    Value operand = op->getOperand(0);
    error =
        Propagation(algebra, wide(operand), wide(op->getResult(0)),
                    state.errorOf(operand), state.knows(operand, NonNegative))
            .through(op);
  }
  if (!error)
    return unknown(op);
  // Formulas may say NaN at the edges of their functions' domains.
  error = algebra.choose(algebra.compare(Predicate::UNO, error, error),
                         algebra.infinity(), error);
  Value inherited;
  for (Value operand : op->getOperands())
    inherited = algebra.add(inherited, state.errorOf(operand));
  return algebra.choose(isInexact(algebra, inherited), error, Value());
}

Value ErrorRules::functionError(Operation *op) {
  ErrorAlgebra algebra(op);
  Value result = op->getResult(0);
  Value inherited = propagated(op, algebra);
  // Narrow types' functions are computed wider; a square root is as exact as
  // a sum unless the user grants it more.
  double ulp = std::max(model.mathUlp, ulpOf(op));
  double units = isa<math::SqrtOp>(op) && ulp == 1 ? 1 : 2 * ulp;
  Value error = algebra.add(inherited, rounding(algebra, result, units, true));
  if (model.mathUlp > 1 &&
      getElementTypeOrSelf(result.getType()).getIntOrFloatBitWidth() <= 32)
    error = algebra.add(error, algebra.number(lostByPolynomials));
  return withinRange(algebra, result, error, isInexact(algebra, inherited));
}

/// Integral and NonNegative of constants.
static unsigned char constantFacts(Operation *op) {
  auto of = [](const llvm::APFloat &number) {
    return (number.isInteger() ? Integral : NoFact) |
           (number.isNegative() || number.isNaN() ? NoFact : NonNegative);
  };
  unsigned char facts = Integral | NonNegative;
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  if (auto number = dyn_cast<FloatAttr>(value))
    return static_cast<unsigned char>(of(number.getValue()));
  auto elements = dyn_cast<DenseFPElementsAttr>(value);
  if (!elements)
    return NoFact;
  if (elements.isSplat())
    return static_cast<unsigned char>(
        of(elements.getSplatValue<llvm::APFloat>()));
  for (const llvm::APFloat &number : elements.getValues<llvm::APFloat>())
    facts &= static_cast<unsigned char>(of(number));
  return facts;
}

unsigned char lh::factsOf(Operation *op, const ErrorState &state) {
  auto of = [&](unsigned index) {
    return state.facts.lookup(op->getOperand(index));
  };
  auto common = [&](unsigned mask) {
    return static_cast<unsigned char>(of(0) & of(1) & mask);
  };
  using Facts = unsigned char;
  return llvm::TypeSwitch<Operation *, Facts>(op)
      .Case<arith::ConstantOp>([&](auto) { return constantFacts(op); })
      .Case<arith::AddFOp>([&](auto) { return common(~0u); })
      .Case<arith::SubFOp>([&](auto) { return common(Integral); })
      .Case<arith::MulFOp>([&](auto) {
        bool squares = op->getOperand(0) == op->getOperand(1);
        return static_cast<Facts>(common(~0u) | (squares ? NonNegative : 0));
      })
      .Case<arith::DivFOp>([&](auto) { return common(NonNegative); })
      .Case<arith::MaximumFOp, arith::MinimumFOp>([&](auto) {
        bool larger = isa<arith::MaximumFOp>(op);
        return static_cast<Facts>(common(~0u) |
                                  (larger ? (of(0) | of(1)) & NonNegative : 0));
      })
      .Case<arith::SelectOp>(
          [&](auto) { return static_cast<Facts>(of(1) & of(2)); })
      .Case<arith::NegFOp>(
          [&](auto) { return static_cast<Facts>(of(0) & Integral); })
      .Case<arith::ExtFOp>([&](auto) { return of(0); })
      .Case<arith::TruncFOp>(
          [&](auto) { return static_cast<Facts>(of(0) & NonNegative); })
      .Case<math::AbsFOp>(
          [&](auto) { return static_cast<Facts>(of(0) | NonNegative); })
      .Case<math::ExpOp, math::Exp2Op, math::SqrtOp, math::CoshOp>(
          [&](auto) { return Facts(NonNegative); })
      .Case<math::RoundEvenOp, math::RoundOp, math::FloorOp, math::CeilOp,
            math::TruncOp>(
          [&](auto) { return static_cast<Facts>(of(0) | Integral); })
      .Case<arith::SIToFPOp>([&](auto) { return Integral; })
      .Case<arith::UIToFPOp>(
          [&](auto) { return static_cast<Facts>(Integral | NonNegative); })
      .Default([](Operation *) { return Facts(NoFact); });
}
