// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each elementwise operation computes (spec, sections of their names).
#include "compiler/ingress/stablehlo/ScalarOps.h"

#include "core/numerics/SmallFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <limits>

using namespace lh;
using namespace mlir;

template <typename Op> static Value unaryMath(const ScalarOp &x) {
  return Op::create(x.s.builder, x.s.loc, x.in[0]);
}
template <typename Op> static Value binary(const ScalarOp &x) {
  return Op::create(x.s.builder, x.s.loc, x.in[0], x.in[1]);
}
template <Value (Scalars::*member)(Value, Value) const>
static Value apply(const ScalarOp &x) {
  return (x.s.*member)(x.in[0], x.in[1]);
}

/// Truth values are added by `or` and multiplied by `and`.
template <Value (Scalars::*member)(Value, Value) const, typename Logical>
static Value applyOrLogical(const ScalarOp &x) {
  return x.dtype == DType::Bool ? binary<Logical>(x) : apply<member>(x);
}

/// The spec leaves division by zero open; XLA gives all bits set.
static Value divide(const ScalarOp &x) {
  const Scalars &s = x.s;
  Value quotient = s.div(x.in[0], x.in[1]);
  if (s.isFloating())
    return quotient;
  return s.select(s.equal(x.in[1], s.integer(0)), s.integer(-1), quotient);
}

/// Of a division by zero, XLA gives the dividend.
static Value remainder(const ScalarOp &x) {
  const Scalars &s = x.s;
  Value rest = s.rem(x.in[0], x.in[1]);
  if (s.isFloating())
    return rest;
  return s.select(s.equal(x.in[1], s.integer(0)), x.in[0], rest);
}

static Value negate(const ScalarOp &x) { return x.s.neg(x.in[0]); }
static Value absolute(const ScalarOp &x) { return x.s.abs(x.in[0]); }

static Value sign(const ScalarOp &x) {
  const Scalars &s = x.s;
  Value v = x.in[0], zero = s.number(0);
  Value below = isUnsigned(s.dtype) ? zero : s.number(-1);
  Value result = s.select(s.less(v, zero), below, zero);
  result = s.select(s.less(zero, v), s.number(1), result);
  if (!s.isFloating())
    return result;
  // Zeros keep their sign, NaN stays.
  Value isOrdered = s.equal(v, v), isZero = s.equal(v, zero);
  return s.select(isOrdered, s.select(isZero, v, result), v);
}

static Value logistic(const ScalarOp &x) {
  const Scalars &s = x.s;
  Value one = s.number(1);
  return s.div(one, s.add(one, s.exp(s.neg(x.in[0]))));
}

static Value square(const ScalarOp &x) { return x.s.mul(x.in[0], x.in[0]); }

static Value bitNot(const ScalarOp &x) {
  Value ones = x.dtype == DType::Bool ? x.s.integer(1) : x.s.integer(-1);
  return arith::XOrIOp::create(x.s.builder, x.s.loc, x.in[0], ones);
}

/// Exponents of integers: by squaring, bit by bit. A negative one leaves 0, but
/// of 1 and -1.
static Value integerPower(const ScalarOp &x) {
  const Scalars &s = x.s;
  OpBuilder &b = s.builder;
  unsigned width = s.type().getIntOrFloatBitWidth();
  Value base = x.in[0], exponent = x.in[1];
  Value zero = s.integer(0), one = s.integer(1);
  Value result = one, factor = base, rest = exponent;
  for (unsigned bit = 0; bit < width; ++bit) {
    Value isSet = s.equal(arith::AndIOp::create(b, s.loc, rest, one), one);
    result = s.select(isSet, s.mul(result, factor), result);
    factor = s.mul(factor, factor);
    rest = arith::ShRUIOp::create(b, s.loc, rest, one);
  }
  if (isUnsigned(s.dtype))
    return result;
  Value isUnit = arith::OrIOp::create(b, s.loc, s.equal(base, one),
                                      s.equal(base, s.integer(-1)));
  Value isBelow = s.less(exponent, zero);
  return s.select(isBelow, s.select(isUnit, result, zero), result);
}

static Value power(const ScalarOp &x) {
  return x.s.isFloating() ? binary<math::PowFOp>(x) : integerPower(x);
}

/// Amounts of the type's width and more shift everything out.
template <typename Op> static Value shift(const ScalarOp &x) {
  const Scalars &s = x.s;
  OpBuilder &b = s.builder;
  unsigned width = static_cast<unsigned>(storedBits(x.dtype));
  Value last = s.integer(width - 1);
  Value fits =
      arith::CmpIOp::create(b, s.loc, arith::CmpIPredicate::ule, x.in[1], last);
  Value amount = s.select(fits, x.in[1], last);
  Value value = x.in[0];
  if (std::is_same_v<Op, arith::ShRUIOp> && isPacked(x.dtype))
    value = arith::AndIOp::create(b, s.loc, value,
                                  s.integer((int64_t(1) << width) - 1));
  Value shifted = Op::create(b, s.loc, value, amount);
  if (std::is_same_v<Op, arith::ShRSIOp>)
    return s.select(fits, shifted,
                    Op::create(b, s.loc, shifted, last)); // the sign alone
  return s.select(fits, shifted, s.integer(0));
}

/// Counts in an element's own bits: those above are a copy of the sign.
template <typename Op> static Value countBits(const ScalarOp &x) {
  const Scalars &s = x.s;
  OpBuilder &b = s.builder;
  unsigned held = s.type().getIntOrFloatBitWidth();
  auto bits = static_cast<unsigned>(storedBits(x.dtype));
  Value value = x.in[0];
  if (bits < held)
    value = arith::AndIOp::create(b, s.loc, value,
                                  s.integer((int64_t(1) << bits) - 1));
  Value count = Op::create(b, s.loc, value);
  if (std::is_same_v<Op, math::CountLeadingZerosOp> && bits < held)
    count = s.sub(count, s.integer(held - bits));
  return count;
}

/// max(low, min(x, high)).
static Value clamp(const ScalarOp &x) {
  return x.s.min(x.s.max(x.in[0], x.in[1]), x.in[2]);
}

static Value select(const ScalarOp &x) {
  Value isTrue = x.s.fromBool(x.in[0]);
  return x.s.select(isTrue, x.in[1], x.in[2]);
}

static Value isFinite(const ScalarOp &x) {
  Value infinity = x.s.number(std::numeric_limits<double>::infinity());
  return x.s.less(x.s.abs(x.in[0]), infinity);
}
static Value isInfinite(const ScalarOp &x) {
  Value infinity = x.s.number(std::numeric_limits<double>::infinity());
  return x.s.equal(x.s.abs(x.in[0]), infinity);
}
static Value isPositiveInfinite(const ScalarOp &x) {
  return x.s.equal(x.in[0],
                   x.s.number(std::numeric_limits<double>::infinity()));
}
static Value isNegativeInfinite(const ScalarOp &x) {
  return x.s.equal(x.in[0],
                   x.s.number(-std::numeric_limits<double>::infinity()));
}

/// The bits of a float as integers that order as the total order of IEEE 754
/// does: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
static Value totalOrder(const Scalars &s, Value value) {
  OpBuilder &b = s.builder;
  unsigned width = s.type().getIntOrFloatBitWidth();
  Type type = b.getIntegerType(width);
  Value bits = arith::BitcastOp::create(b, s.loc, type, value);
  auto constant = [&](const APInt &number) -> Value {
    return arith::ConstantOp::create(b, s.loc, b.getIntegerAttr(type, number));
  };
  Value flipped = arith::XOrIOp::create(
      b, s.loc, bits, constant(APInt::getSignedMaxValue(width)));
  Value isBelow = arith::CmpIOp::create(b, s.loc, arith::CmpIPredicate::slt,
                                        bits, constant(APInt::getZero(width)));
  return s.select(isBelow, flipped, bits);
}

static Value compareWith(const Scalars &s, StringRef direction, Value a,
                         Value b) {
  if (direction == "EQ")
    return s.equal(a, b);
  if (direction == "LT")
    return s.less(a, b);
  if (direction == "LE")
    return s.lessEqual(a, b);
  if (direction == "GT")
    return s.less(b, a);
  if (direction == "GE")
    return s.lessEqual(b, a);
  Value isEqual = s.equal(a, b);
  Value isTrue =
      arith::ConstantOp::create(s.builder, s.loc, s.builder.getBoolAttr(true));
  return arith::XOrIOp::create(s.builder, s.loc, isEqual, isTrue);
}

static StringRef wordOf(Operation &op, StringRef name) {
  auto word = dyn_cast_or_null<StringAttr>(op.getAttr(name));
  return word ? word.getValue() : StringRef();
}

static std::optional<std::string> whyNoComparison(Operation &op) {
  StringRef direction = wordOf(op, "comparison_direction");
  static constexpr StringRef known[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  if (llvm::is_contained(known, direction))
    return std::nullopt;
  return "'comparison_direction' is '" + direction.str() +
         "'; EQ, NE, LT, LE, GT and GE are known";
}

static Value compare(const ScalarOp &x) {
  StringRef direction = wordOf(x.op, "comparison_direction");
  if (!x.s.isFloating() || wordOf(x.op, "compare_type") != "TOTALORDER")
    return compareWith(x.s, direction, x.in[0], x.in[1]);
  DType integers = x.s.dtype == DType::Float64 ? DType::Int64 : DType::Int32;
  return compareWith(Scalars(x.s.builder, x.s.loc, integers), direction,
                     totalOrder(x.s, x.in[0]), totalOrder(x.s, x.in[1]));
}

static int64_t numberOf(Operation &op, StringRef name) {
  auto attribute = dyn_cast_or_null<IntegerAttr>(op.getAttr(name));
  return attribute ? attribute.getInt() : -1;
}

static std::optional<std::string> whyNoFormat(Operation &op) {
  int64_t exponent = numberOf(op, "exponent_bits"),
          mantissa = numberOf(op, "mantissa_bits");
  if (exponent >= 1 && exponent <= 16 && mantissa >= 0 && mantissa <= 64)
    return std::nullopt;
  return "there is no format of " + std::to_string(exponent) +
         " exponent and " + std::to_string(mantissa) + " mantissa bits";
}

/// x in a format of fewer bits, kept in its own: rounded to nearest even; what
/// is too large is infinite, what is too small is zero.
static Value reducePrecision(const ScalarOp &x) {
  const Scalars &s = x.s;
  OpBuilder &b = s.builder;
  bool isDouble = s.dtype == DType::Float64;
  unsigned width = isDouble ? 64 : 32, fraction = isDouble ? 52 : 23;
  int64_t bias = isDouble ? 1023 : 127;
  int64_t exponentBits = numberOf(x.op, "exponent_bits");
  int64_t mantissaBits = numberOf(x.op, "mantissa_bits");
  Type type = b.getIntegerType(width);
  auto constant = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(
        b, s.loc, b.getIntegerAttr(type, APInt(64, value).trunc(width)));
  };
  Value bits = arith::BitcastOp::create(b, s.loc, type, x.in[0]);
  Value result = bits;
  if (mantissaBits < static_cast<int64_t>(fraction)) {
    unsigned cut = fraction - static_cast<unsigned>(mantissaBits);
    Value last = arith::AndIOp::create(
        b, s.loc, arith::ShRUIOp::create(b, s.loc, bits, constant(cut)),
        constant(1));
    Value bumped = arith::AddIOp::create(
        b, s.loc, bits,
        arith::AddIOp::create(b, s.loc, last,
                              constant((uint64_t(1) << (cut - 1)) - 1)));
    result = arith::AndIOp::create(b, s.loc, bumped,
                                   constant(~((uint64_t(1) << cut) - 1)));
  }
  Value rounded = arith::BitcastOp::create(b, s.loc, s.type(), result);
  int64_t reach = (int64_t(1) << (exponentBits - 1)) - 1;
  if (reach < bias) {
    Value size = s.abs(rounded);
    // The largest finite number is below 2^(reach + 1), the smallest normal one
    // is 2^(1 - reach).
    Value limit = s.number(std::ldexp(1.0, static_cast<int>(reach) + 1));
    Value least = s.number(std::ldexp(1.0, 1 - static_cast<int>(reach)));
    Value infinity = s.number(std::numeric_limits<double>::infinity());
    auto withSign = [&](Value magnitude) -> Value {
      return math::CopySignOp::create(b, s.loc, magnitude, x.in[0]);
    };
    rounded = s.select(s.less(size, limit), rounded, withSign(infinity));
    rounded = s.select(s.less(size, least), withSign(s.number(0)), rounded);
  }
  return s.select(s.isNaN(x.in[0]), x.in[0], rounded);
}

static DType declaredType(Operation &op) {
  return *dtypeOf(getElementTypeOrSelf(op.getResult(0).getType()));
}

/// Floats to truth values: whether they differ from zero. To integers:
/// truncated; what the type can't hold becomes its limit, NaN becomes 0.
static Value convertElement(const ScalarOp &x) {
  DType to = declaredType(x.op), by = computeTypeOf(to);
  if (!isPacked(to) || isSmallFloat(to))
    by = to;
  Value wide = convertScalar(x.s.builder, x.s.loc, x.in[0], x.dtype, by);
  return convertScalar(x.s.builder, x.s.loc, wide, by, to);
}

/// The number next to x in the direction of y.
static Value nextAfter(const ScalarOp &x) {
  const Scalars &s = x.s;
  OpBuilder &b = s.builder;
  unsigned width = s.type().getIntOrFloatBitWidth();
  Type type = b.getIntegerType(width);
  auto constant = [&](const APInt &number) -> Value {
    return arith::ConstantOp::create(b, s.loc, b.getIntegerAttr(type, number));
  };
  Value from = x.in[0], to = x.in[1], zero = s.number(0);
  Value bits = arith::BitcastOp::create(b, s.loc, type, from);
  Value one = constant(APInt(width, 1));
  Value away =
      arith::XOrIOp::create(b, s.loc, s.less(zero, from), s.less(to, from));
  Value up = arith::AddIOp::create(b, s.loc, bits, one);
  Value down = arith::SubIOp::create(b, s.loc, bits, one);
  Value step = s.select(away, up, down);
  // From zero: the smallest number with the sign of y.
  Value toBits = arith::BitcastOp::create(b, s.loc, type, to);
  Value signBit = arith::AndIOp::create(
      b, s.loc, toBits, constant(APInt::getSignedMinValue(width)));
  Value tiny = arith::OrIOp::create(b, s.loc, signBit, one);
  step = s.select(s.equal(from, zero), tiny, step);
  Value next = arith::BitcastOp::create(b, s.loc, s.type(), step);
  next = s.select(s.equal(from, to), to, next);
  Value sum = s.add(from, to);
  return s.select(s.isNaN(sum), sum, next);
}

/// The upper half of a product.
static Value multiplyHigh(const ScalarOp &x) {
  const Scalars &s = x.s;
  OpBuilder &b = s.builder;
  if (isUnsigned(s.dtype))
    return arith::MulUIExtendedOp::create(b, s.loc, x.in[0], x.in[1]).getHigh();
  return arith::MulSIExtendedOp::create(b, s.loc, x.in[0], x.in[1]).getHigh();
}

using ScalarTable = llvm::StringMap<ScalarRow>;

/// Numbers, choices and types.
static void addArithmetic(ScalarTable &t) {
  using namespace Takes;
  using Row = ScalarRow;
  auto hlo = [&](StringRef name, Row row) {
    t[("stablehlo." + name).str()] = row;
  };
  hlo("add", {2, Any, Row::Same, applyOrLogical<&Scalars::add, arith::OrIOp>});
  hlo("multiply",
      {2, Any, Row::Same, applyOrLogical<&Scalars::mul, arith::AndIOp>});
  hlo("subtract", {2, Number, Row::Same, apply<&Scalars::sub>});
  hlo("divide", {2, Number, Row::Same, divide});
  hlo("remainder", {2, Number, Row::Same, remainder});
  hlo("maximum", {2, Any, Row::Same, apply<&Scalars::max>});
  hlo("minimum", {2, Any, Row::Same, apply<&Scalars::min>});
  hlo("power", {2, Number, Row::Same, power});
  hlo("atan2", {2, Float, Row::Same, binary<math::Atan2Op>});
  hlo("negate", {1, Number, Row::Same, negate});
  // Complex numbers are refused: these are of numbers that aren't.
  hlo("real", {1, Float, Row::Same,
               [](const ScalarOp &x) -> Value { return x.in[0]; }});
  hlo("imag",
      {1, Float, Row::Same, [](const ScalarOp &x) { return x.s.number(0); }});
  hlo("abs", {1, Number, Row::Same, absolute});
  hlo("sign", {1, Number, Row::Same, sign});
  hlo("clamp", {3, Any, Row::Same, [](const ScalarOp &x) {
                  // Its operands are low, x, high.
                  Value ordered[] = {x.in[1], x.in[0], x.in[2]};
                  return clamp({x.op, x.s, x.dtype, ordered});
                }});
  hlo("select", {3, Any, Row::Selected, select});
  hlo("compare", {2, Any, Row::Truth, compare, false, whyNoComparison});
  hlo("convert", {1, Any, Row::Declared, convertElement});
}

/// Functions of floats.
static void addFunctions(ScalarTable &t) {
  using namespace Takes;
  using Row = ScalarRow;
  auto hlo = [&](StringRef name, Row row) {
    t[("stablehlo." + name).str()] = row;
  };
  hlo("exponential", {1, Float, Row::Same, unaryMath<math::ExpOp>});
  hlo("exponential_minus_one", {1, Float, Row::Same, unaryMath<math::ExpM1Op>});
  hlo("log", {1, Float, Row::Same, unaryMath<math::LogOp>});
  hlo("log_plus_one", {1, Float, Row::Same, unaryMath<math::Log1pOp>});
  hlo("logistic", {1, Float, Row::Same, logistic});
  hlo("sine", {1, Float, Row::Same, unaryMath<math::SinOp>});
  hlo("cosine", {1, Float, Row::Same, unaryMath<math::CosOp>});
  hlo("tan", {1, Float, Row::Same, unaryMath<math::TanOp>});
  hlo("tanh", {1, Float, Row::Same, unaryMath<math::TanhOp>});
  hlo("sqrt", {1, Float, Row::Same, unaryMath<math::SqrtOp>});
  hlo("rsqrt", {1, Float, Row::Same, unaryMath<math::RsqrtOp>});
  hlo("cbrt", {1, Float, Row::Same, unaryMath<math::CbrtOp>});
  hlo("floor", {1, Float, Row::Same, unaryMath<math::FloorOp>});
  hlo("ceil", {1, Float, Row::Same, unaryMath<math::CeilOp>});
  hlo("round_nearest_afz", {1, Float, Row::Same, unaryMath<math::RoundOp>});
  hlo("round_nearest_even",
      {1, Float, Row::Same, unaryMath<math::RoundEvenOp>});
  hlo("reduce_precision",
      {1, Float, Row::Same, reducePrecision, false, whyNoFormat});
  hlo("is_finite", {1, Float, Row::Truth, isFinite});
}

/// Bits of integers, and truth values.
static void addBitOperations(ScalarTable &t) {
  using namespace Takes;
  using Row = ScalarRow;
  auto hlo = [&](StringRef name, Row row) {
    t[("stablehlo." + name).str()] = row;
  };
  hlo("and", {2, Logic, Row::Same, binary<arith::AndIOp>});
  hlo("or", {2, Logic, Row::Same, binary<arith::OrIOp>});
  hlo("xor", {2, Logic, Row::Same, binary<arith::XOrIOp>});
  hlo("not", {1, Logic, Row::Same, bitNot});
  hlo("shift_left", {2, Integer, Row::Same, shift<arith::ShLIOp>});
  hlo("shift_right_arithmetic", {2, Integer, Row::Same, shift<arith::ShRSIOp>});
  hlo("shift_right_logical", {2, Integer, Row::Same, shift<arith::ShRUIOp>});
  hlo("popcnt", {1, Integer, Row::Same, countBits<math::CtPopOp>});
  hlo("count_leading_zeros",
      {1, Integer, Row::Same, countBits<math::CountLeadingZerosOp>});
}

/// What CHLO has beyond StableHLO, but for series.
static void addChlo(ScalarTable &t) {
  using namespace Takes;
  using Row = ScalarRow;
  auto chlo = [&](StringRef name, Row row) { t[("chlo." + name).str()] = row; };
  chlo("acos", {1, Float, Row::Same, unaryMath<math::AcosOp>});
  chlo("acosh", {1, Float, Row::Same, unaryMath<math::AcoshOp>});
  chlo("asin", {1, Float, Row::Same, unaryMath<math::AsinOp>});
  chlo("asinh", {1, Float, Row::Same, unaryMath<math::AsinhOp>});
  chlo("atan", {1, Float, Row::Same, unaryMath<math::AtanOp>});
  chlo("atanh", {1, Float, Row::Same, unaryMath<math::AtanhOp>});
  chlo("cosh", {1, Float, Row::Same, unaryMath<math::CoshOp>});
  chlo("sinh", {1, Float, Row::Same, unaryMath<math::SinhOp>});
  chlo("tan", {1, Float, Row::Same, unaryMath<math::TanOp>});
  chlo("erf", {1, Float, Row::Same, unaryMath<math::ErfOp>});
  chlo("erfc", {1, Float, Row::Same, unaryMath<math::ErfcOp>});
  chlo("square", {1, Number, Row::Same, square});
  chlo("is_inf", {1, Float, Row::Truth, isInfinite});
  chlo("is_pos_inf", {1, Float, Row::Truth, isPositiveInfinite});
  chlo("is_neg_inf", {1, Float, Row::Truth, isNegativeInfinite});
  chlo("next_after", {2, Float, Row::Bits, nextAfter});
  chlo("mulhi", {2, Integer, Row::Same, multiplyHigh});
}

static ScalarTable makeScalarTable() {
  ScalarTable table;
  addArithmetic(table);
  addFunctions(table);
  addBitOperations(table);
  addChlo(table);
  return table;
}

static const llvm::StringMap<ScalarRow> &scalarTable() {
  static const llvm::StringMap<ScalarRow> rows = makeScalarTable();
  return rows;
}

const ScalarRow *lh::findScalarRow(StringRef name) {
  auto found = scalarTable().find(name);
  return found == scalarTable().end() ? findSpecialFunction(name)
                                      : &found->second;
}

std::vector<std::string> lh::scalarOpNames() {
  std::vector<std::string> names = specialFunctionNames();
  for (const auto &row : scalarTable())
    names.push_back(row.first().str());
  return names;
}

static unsigned kindOf(DType dtype) {
  if (dtype == DType::Bool)
    return Takes::Bool;
  if (isFloat(dtype) || isSmallFloat(dtype))
    return Takes::Float;
  return isUnsigned(dtype) ? Takes::Unsigned : Takes::Signed;
}

std::optional<std::string> lh::whyNotScalar(const ScalarRow &row, Operation &op,
                                            ArrayRef<DType> operands,
                                            DType result) {
  auto typeText = [](DType dtype) {
    return "'" + dtypeName(dtype).str() + "'";
  };
  bool isSelect = row.result == ScalarRow::Selected;
  if (isSelect && operands[0] != DType::Bool)
    return "operand 0 has element type " + typeText(operands[0]) +
           "; a choice is made by 'bool'";
  DType first = operands[isSelect ? 1 : 0];
  if (!(kindOf(first) & row.takes))
    return "it doesn't take the element type " + typeText(first);
  for (size_t i = isSelect ? 2 : 1; i < operands.size(); ++i)
    if (operands[i] != first)
      return "operand " + std::to_string(i) + " has element type " +
             typeText(operands[i]) + ", others have " + typeText(first);
  bool fits = row.result == ScalarRow::Declared ||
              result == (row.result == ScalarRow::Truth ? DType::Bool : first);
  if (!fits)
    return "its result is declared as " + typeText(result);
  return row.whyNot ? row.whyNot(op) : std::nullopt;
}

Value lh::computeScalar(const ScalarRow &row, Operation &op, OpBuilder &b,
                        Location loc, ValueRange values,
                        ArrayRef<DType> operands, DType result) {
  if (row.result == ScalarRow::Declared || row.result == ScalarRow::Selected ||
      row.result == ScalarRow::Bits)
    return row.compute({op, Scalars(b, loc, operands[0]), operands[0], values});
  DType computed = row.inDouble ? DType::Float64 : computeTypeOf(operands[0]);
  SmallVector<Value> widened;
  for (auto [value, dtype] : llvm::zip(values, operands))
    widened.push_back(convertScalar(b, loc, value, dtype, computed));
  ScalarOp scalar{op, Scalars(b, loc, computed), operands[0], widened};
  Value made = row.compute(scalar);
  if (row.result == ScalarRow::Truth)
    return scalar.s.toBool(made);
  return convertScalar(b, loc, made, computed, result);
}
