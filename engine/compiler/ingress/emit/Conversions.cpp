// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of scalars between element types, rounded once.
#include "compiler/gaps/Marks.h"
#include "compiler/ingress/emit/SmallFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace lh;
using namespace mlir;

namespace {

bool isHalf(DType dtype) {
  return dtype == DType::Float16 || dtype == DType::BFloat16;
}

bool isSmallInteger(DType dtype) { return isInteger(dtype) && isPacked(dtype); }

/// One conversion; the methods are its cases.
class Conversion {
public:
  Conversion(OpBuilder &b, Location loc, DType from, DType to,
             const CastRules &rules)
      : b(b), loc(loc), from(from), to(to), rules(rules) {}

  Value apply(Value value);

private:
  Value cast(Value value, DType between, DType target) {
    return convertScalar(b, loc, value, between, target, rules);
  }
  Type typeOf(DType dtype) { return elementTypeOf(dtype, b.getContext()); }
  Value floatToFloat(Value value);
  Value narrow(Value value, DType target);
  Value floatToInteger(Value value);
  Value floatToSmallInteger(Value value);
  Value integerToInteger(Value value);
  Value integerToFloat(Value value);
  Value keepLowBits(Value byte);

  OpBuilder &b;
  Location loc;
  DType from, to;
  const CastRules &rules;
};

} // namespace

Value Conversion::narrow(Value value, DType target) {
  auto cast = arith::TruncFOp::create(b, loc, typeOf(target), value);
  // Of two narrowings in a row only the last is the model's.
  if (rules.isModelCast && target == to)
    cast->setAttr(castMark, b.getUnitAttr());
  return cast;
}

Value Conversion::floatToFloat(Value value) {
  if (isHalf(from) && isHalf(to))
    return narrow(arith::ExtFOp::create(b, loc, typeOf(DType::Float32), value),
                  to);
  if (byteSize(from) < byteSize(to))
    return arith::ExtFOp::create(b, loc, typeOf(to), value);
  if (from == DType::Float64 && isHalf(to))
    value = narrow(emitSticky(b, loc, value), DType::Float32);
  return narrow(value, to);
}

/// Out-of-range conversions are poison in LLVM: the value is brought into
/// range first, and what was out of range is selected afterwards.
Value Conversion::floatToInteger(Value value) {
  Scalars source(b, loc, from), target(b, loc, to);
  bool hasSign = !isUnsigned(to);
  unsigned width = target.type().getIntOrFloatBitWidth();
  int exponent = static_cast<int>(hasSign ? width - 1 : width);
  Value low = source.number(hasSign ? -std::ldexp(1.0, exponent) : 0.0);
  Value high = source.number(std::ldexp(1.0, exponent));
  Value zero = source.number(0.0);
  Value below = source.less(value, low);
  Value fits = source.less(value, high);
  Value above = source.lessEqual(high, value);
  Value safe = source.select(below, zero, source.select(fits, value, zero));
  Value converted =
      hasSign ? Value(arith::FPToSIOp::create(b, loc, target.type(), safe))
              : Value(arith::FPToUIOp::create(b, loc, target.type(), safe));
  converted = target.select(above, target.highest(), converted);
  return target.select(below, target.lowest(), converted);
}

Value Conversion::keepLowBits(Value byte) {
  Type type = byte.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  if (isUnsigned(to))
    return arith::AndIOp::create(b, loc, byte,
                                 constant((1 << storedBits(to)) - 1));
  Value places = constant(8 - storedBits(to));
  Value top = arith::ShLIOp::create(b, loc, byte, places);
  return arith::ShRSIOp::create(b, loc, top, places);
}

Value Conversion::floatToSmallInteger(Value value) {
  value = math::RoundEvenOp::create(b, loc, value);
  if (rules.dropsUpperBits) {
    Value wide = convertScalar(b, loc, value, from, DType::Int32);
    return cast(wide, DType::Int32, to);
  }
  Scalars source(b, loc, from);
  int count = 1 << storedBits(to), low = isUnsigned(to) ? 0 : -count / 2;
  Value least = source.number(low), most = source.number(low + count - 1);
  value = source.select(source.less(value, least), least, value);
  value = source.select(source.less(most, value), most, value);
  return convertScalar(b, loc, value, from,
                       isUnsigned(to) ? DType::UInt8 : DType::Int8);
}

Value Conversion::integerToInteger(Value value) {
  Type target = typeOf(to);
  unsigned fromWidth = value.getType().getIntOrFloatBitWidth();
  unsigned toWidth = target.getIntOrFloatBitWidth();
  if (fromWidth > toWidth)
    value = arith::TruncIOp::create(b, loc, target, value);
  else if (fromWidth < toWidth && isUnsigned(from))
    value = arith::ExtUIOp::create(b, loc, target, value);
  else if (fromWidth < toWidth)
    value = arith::ExtSIOp::create(b, loc, target, value);
  return isSmallInteger(to) ? keepLowBits(value) : value;
}

/// A 64-bit integer that f64 holds and that a format of few bits rounds as it
/// would round `value`: in large ones the last bits become a single one.
static Value stickyInteger(OpBuilder &b, Location loc, Value value,
                           DType from) {
  constexpr int dropped = 11;
  Scalars s(b, loc, from);
  int64_t mask = (int64_t(1) << dropped) - 1;
  Value rest = arith::AndIOp::create(b, loc, value, s.integer(mask));
  Value kept = arith::AndIOp::create(b, loc, value, s.integer(~mask));
  Value sticky = arith::OrIOp::create(b, loc, kept, s.integer(mask + 1));
  sticky = s.select(s.equal(rest, s.integer(0)), value, sticky);
  Value limit = s.integer(int64_t(1) << 53);
  Value isLarge = s.less(limit, value);
  if (!isUnsigned(from)) {
    Value isLow = s.less(value, s.integer(-(int64_t(1) << 53)));
    isLarge = arith::OrIOp::create(b, loc, isLarge, isLow);
  }
  return s.select(isLarge, sticky, value);
}

Value Conversion::integerToFloat(Value value) {
  bool isExact = to == DType::Float64 || byteSize(from) <= 2;
  if (!isExact && to != DType::Float32) {
    // Through f32 it would be rounded twice.
    if (byteSize(from) == 8)
      value = stickyInteger(b, loc, value, from);
    value = convertScalar(b, loc, value, from, DType::Float64);
    return cast(value, DType::Float64, to);
  }
  if (isHalf(to)) {
    value = convertScalar(b, loc, value, from, DType::Float32);
    return narrow(value, to);
  }
  if (isUnsigned(from))
    return arith::UIToFPOp::create(b, loc, typeOf(to), value);
  return arith::SIToFPOp::create(b, loc, typeOf(to), value);
}

Value Conversion::apply(Value value) {
  if (isSmallFloat(from))
    return cast(emitDecode(b, loc, value, from), DType::Float64, to);
  if (isSmallFloat(to)) {
    if (isInteger(from) && byteSize(from) == 8)
      value = stickyInteger(b, loc, value, from);
    value = convertScalar(b, loc, value, from, DType::Float64);
    return emitEncode(b, loc, value, to, rules);
  }
  if (isHalf(from) && !isFloat(to)) {
    value = arith::ExtFOp::create(b, loc, typeOf(DType::Float32), value);
    return cast(value, DType::Float32, to);
  }
  Scalars source(b, loc, from), result(b, loc, to);
  if (to == DType::Bool) {
    Value isZero = source.equal(value, source.number(0));
    return result.select(isZero, result.integer(0), result.integer(1));
  }
  if (isFloat(from) && isFloat(to))
    return floatToFloat(value);
  if (isFloat(from))
    return isSmallInteger(to) ? floatToSmallInteger(value)
                              : floatToInteger(value);
  return isFloat(to) ? integerToFloat(value) : integerToInteger(value);
}

Value lh::convertScalar(OpBuilder &b, Location loc, Value value, DType from,
                        DType to, const CastRules &rules) {
  if (from == to)
    return value;
  return Conversion(b, loc, from, to, rules).apply(value);
}
