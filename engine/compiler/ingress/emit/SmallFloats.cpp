// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decoding and encoding in 64-bit integers, without branches.
#include "compiler/ingress/emit/SmallFloats.h"

#include "core/numerics/SmallFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <bit>
#include <cmath>

using namespace lh;
using namespace mlir;

namespace {

using Predicate = arith::CmpIPredicate;

constexpr int wideFraction = 52, wideBias = 1023;
constexpr int64_t wideInfinity = int64_t(0x7ff) << wideFraction;

/// The value's bits as f64.
constexpr int64_t bitsOf(double value) { return std::bit_cast<int64_t>(value); }

/// 2^exponent, whose bits f64 has as a normal number.
constexpr int64_t bitsOfPower(int exponent) {
  return int64_t(exponent + wideBias) << wideFraction;
}

/// Arithmetic on i64.
class Bits {
public:
  Bits(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value constant(int64_t value) const {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value ofByte(Value byte) const {
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), byte);
  }
  Value toByte(Value bits) const {
    return arith::TruncIOp::create(b, loc, b.getI8Type(), bits);
  }
  Value ofFloat(Value value) const {
    return arith::BitcastOp::create(b, loc, b.getI64Type(), value);
  }
  Value toFloat(Value bits) const {
    return arith::BitcastOp::create(b, loc, b.getF64Type(), bits);
  }
  Value add(Value x, int64_t y) const {
    return arith::AddIOp::create(b, loc, x, constant(y));
  }
  Value add(Value x, Value y) const {
    return arith::AddIOp::create(b, loc, x, y);
  }
  Value keep(Value x, int64_t mask) const {
    return arith::AndIOp::create(b, loc, x, constant(mask));
  }
  Value merge(Value x, Value y) const {
    return arith::OrIOp::create(b, loc, x, y);
  }
  Value up(Value x, int places) const {
    return arith::ShLIOp::create(b, loc, x, constant(places));
  }
  Value down(Value x, int places) const {
    return arith::ShRUIOp::create(b, loc, x, constant(places));
  }
  Value is(Predicate predicate, Value x, int64_t y) const {
    return arith::CmpIOp::create(b, loc, predicate, x, constant(y));
  }
  /// 1 or 0.
  Value asNumber(Value bit) const {
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), bit);
  }
  Value select(Value condition, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value select(Value condition, int64_t x, Value y) const {
    return select(condition, constant(x), y);
  }

private:
  OpBuilder &b;
  Location loc;
};

} // namespace

/// The f64 bits of a magnitude that isn't special.
static Value magnitudeBits(OpBuilder &b, Location loc, Value magnitude,
                           const SmallFloatFormat &format) {
  Bits bits(b, loc);
  int places = wideFraction - format.fractionBits;
  Value normal =
      bits.add(bits.up(magnitude, places), bitsOfPower(-format.bias));
  if (!format.hasSign()) // float8e8m0 has no subnormals
    return normal;
  double unit = std::ldexp(1.0, 1 - format.bias - format.fractionBits);
  Value count = arith::SIToFPOp::create(b, loc, b.getF64Type(), magnitude);
  Value scale = arith::ConstantOp::create(b, loc, b.getF64FloatAttr(unit));
  Value subnormal = bits.ofFloat(arith::MulFOp::create(b, loc, count, scale));
  Value isSubnormal =
      bits.is(Predicate::slt, magnitude, int64_t(1) << format.fractionBits);
  return bits.select(isSubnormal, subnormal, normal);
}

Value lh::emitDecode(OpBuilder &b, Location loc, Value code, DType from) {
  const SmallFloatFormat &format = smallFloatFormat(from);
  const int64_t notANumber = bitsOf(std::nan(""));
  Bits bits(b, loc);
  Value wide = bits.ofByte(code);
  if (!format.hasSign()) {
    Value value = magnitudeBits(b, loc, wide, format);
    Value isNaN = bits.is(Predicate::eq, wide, format.nan);
    return bits.toFloat(bits.select(isNaN, notANumber, value));
  }
  int signPlace = format.exponentBits + format.fractionBits;
  Value magnitude = bits.keep(wide, format.signBit() - 1);
  Value sign = bits.up(bits.keep(wide, format.signBit()), 63 - signPlace);
  Value value = magnitudeBits(b, loc, magnitude, format);
  if (format.hasInfinity)
    value = bits.select(bits.is(Predicate::eq, magnitude, format.largest + 1),
                        wideInfinity, value);
  value = bits.merge(value, sign);
  if (!format.hasNegativeZero)
    value = bits.select(bits.is(Predicate::eq, wide, format.signBit()),
                        notANumber, value);
  int64_t firstNaN = format.largest + (format.hasInfinity ? 2 : 1);
  if (firstNaN < format.signBit())
    value = bits.select(bits.is(Predicate::sge, magnitude, firstNaN),
                        notANumber, value);
  return bits.toFloat(value);
}

/// Powers of two: the exponent, one more where the fraction asks for it.
static Value encodePower(const Bits &bits, Value magnitude, Value isNegative,
                         const SmallFloatFormat &format,
                         const CastRules &rules) {
  int64_t smallest = bitsOfPower(-format.bias);
  int64_t largest = bitsOfPower(format.largest - format.bias);
  Value code =
      bits.add(bits.down(magnitude, wideFraction), format.bias - wideBias);
  if (rules.rounding != PowerRounding::Down) {
    bool isUp = rules.rounding == PowerRounding::Up;
    Value fraction = bits.keep(magnitude, (int64_t(1) << wideFraction) - 1);
    int64_t least = isUp ? 1 : int64_t(1) << (wideFraction - 1);
    code =
        bits.add(code, bits.asNumber(bits.is(Predicate::sge, fraction, least)));
  }
  int64_t below = rules.saturate ? 0 : format.nan;
  int64_t above = rules.saturate ? format.largest : format.nan;
  code = bits.select(bits.is(Predicate::slt, magnitude, smallest), below, code);
  code = bits.select(bits.is(Predicate::sgt, magnitude, largest), above, code);
  Value isNaN = bits.is(Predicate::sgt, magnitude, wideInfinity);
  code = bits.select(isNaN, format.nan, code);
  return bits.select(isNegative, format.nan, code);
}

/// To nearest even, counted in units of the last place from zero: a carry
/// runs from the fraction into the exponent.
static Value roundMagnitude(OpBuilder &b, Location loc, Value magnitude,
                            const SmallFloatFormat &format) {
  Bits bits(b, loc);
  int places = wideFraction - format.fractionBits;
  Value lowest = bits.keep(bits.down(magnitude, places), 1);
  Value rounded =
      bits.add(bits.add(magnitude, (int64_t(1) << (places - 1)) - 1), lowest);
  Value normal =
      bits.add(bits.down(rounded, places),
               -(int64_t(wideBias - format.bias) << format.fractionBits));
  // Below the smallest normal number: added to a number whose last place is
  // the format's unit, the value is rounded to units by the addition itself.
  int unit = 1 - format.bias - format.fractionBits;
  int64_t anchor = bitsOfPower(unit + wideFraction);
  Value sum = arith::AddFOp::create(b, loc, bits.toFloat(magnitude),
                                    bits.toFloat(bits.constant(anchor)));
  Value subnormal = bits.add(bits.ofFloat(sum), -anchor);
  Value isSubnormal =
      bits.is(Predicate::slt, magnitude, bitsOfPower(1 - format.bias));
  return bits.select(isSubnormal, subnormal, normal);
}

/// What a magnitude beyond the largest number becomes.
static int64_t overflowCode(const SmallFloatFormat &format, DType to,
                            const CastRules &rules) {
  if (rules.saturate || to == DType::Float4E2M1)
    return format.largest;
  return format.hasInfinity ? format.largest + 1 : format.nan;
}

Value lh::emitEncode(OpBuilder &b, Location loc, Value value, DType to,
                     const CastRules &rules) {
  const SmallFloatFormat &format = smallFloatFormat(to);
  Bits bits(b, loc);
  Value wide = bits.ofFloat(value);
  Value magnitude = bits.keep(wide, std::numeric_limits<int64_t>::max());
  if (!format.hasSign()) {
    // -0 is taken as 0.
    Value isNegative =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, value,
                              bits.toFloat(bits.constant(0)));
    return bits.toByte(encodePower(bits, magnitude, isNegative, format, rules));
  }
  int signPlace = format.exponentBits + format.fractionBits;
  Value code = roundMagnitude(b, loc, magnitude, format);
  Value isAbove = bits.is(Predicate::sgt, code, format.largest);
  code = bits.select(isAbove, overflowCode(format, to, rules), code);
  Value sign = bits.keep(bits.down(wide, 63 - signPlace), format.signBit());
  Value negative = bits.merge(code, sign);
  if (format.hasNegativeZero)
    code = negative;
  else
    code = bits.select(bits.is(Predicate::eq, code, 0), code, negative);
  bool infinityIsNaN = rules.infinityIsNaN && !format.hasNegativeZero;
  Value isNaN = bits.is(infinityIsNaN ? Predicate::sge : Predicate::sgt,
                        magnitude, wideInfinity);
  return bits.toByte(bits.select(isNaN, format.nan, code));
}

Value lh::emitSticky(OpBuilder &b, Location loc, Value value) {
  // 14 bits of precision are kept: two more than is needed, and few enough
  // that f32's subnormals hold what bfloat16's depend on.
  constexpr int dropped = wideFraction + 1 - 14;
  constexpr int64_t mask = (int64_t(1) << dropped) - 1;
  Bits bits(b, loc);
  Value wide = bits.ofFloat(value);
  Value isInexact = bits.is(Predicate::ne, bits.keep(wide, mask), 0);
  Value sticky = bits.up(bits.asNumber(isInexact), dropped);
  return bits.toFloat(bits.merge(bits.keep(wide, ~mask), sticky));
}
