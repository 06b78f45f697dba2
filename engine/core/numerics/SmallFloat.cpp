// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between the small float formats and double.
#include "core/numerics/SmallFloat.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

using namespace lh;

const SmallFloatFormat &lh::smallFloatFormat(DType dtype) {
  static constexpr SmallFloatFormat formats[] = {
      {4, 3, 7, 0x7e, 0x7f, false, true},    // float8e4m3fn
      {4, 3, 8, 0x7f, 0x80, false, false},   // float8e4m3fnuz
      {5, 2, 15, 0x7b, 0x7e, true, true},    // float8e5m2
      {5, 2, 16, 0x7f, 0x80, false, false},  // float8e5m2fnuz
      {8, 0, 127, 0xfe, 0xff, false, false}, // float8e8m0
      // A NaN becomes -0: the format's text leaves it open, and ONNX's own
      // results have it so.
      {2, 1, 1, 0x7, 0x8, false, true}, // float4e2m1
  };
  assert(isSmallFloat(dtype) && "not a small float");
  return formats[size_t(dtype) - size_t(DType::Float8E4M3FN)];
}

static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
static constexpr double infinity = std::numeric_limits<double>::infinity();

double lh::decodeSmallFloat(DType dtype, uint8_t code) {
  const SmallFloatFormat &format = smallFloatFormat(dtype);
  if (!format.hasSign())
    return code == format.nan ? notANumber
                              : std::ldexp(1.0, int(code) - format.bias);
  if (code > format.lastCode())
    return notANumber;
  bool negative = code & format.signBit();
  int magnitude = code & (format.signBit() - 1);
  if (negative && magnitude == 0)
    return format.hasNegativeZero ? -0.0 : notANumber;
  if (format.hasInfinity && magnitude == format.largest + 1)
    return negative ? -infinity : infinity;
  if (magnitude > format.largest)
    return notANumber;
  int exponent = magnitude >> format.fractionBits;
  int fraction = magnitude & ((1 << format.fractionBits) - 1);
  if (exponent == 0)
    exponent = 1; // subnormal: the same unit, without the implicit bit
  else
    fraction |= 1 << format.fractionBits;
  double value =
      std::ldexp(fraction, exponent - format.bias - format.fractionBits);
  return negative ? -value : value;
}

static uint8_t encodePower(const SmallFloatFormat &format, double value,
                           bool saturate, PowerRounding rounding) {
  if (std::isnan(value) || value < 0)
    return format.nan;
  double smallest = std::ldexp(1.0, -format.bias);
  double largest = std::ldexp(1.0, format.largest - format.bias);
  if (value < smallest)
    return saturate ? 0 : format.nan;
  if (value > largest)
    return saturate ? format.largest : format.nan;
  int exponent = std::ilogb(value);
  double power = std::ldexp(1.0, exponent);
  if ((rounding == PowerRounding::Up && value > power) ||
      (rounding == PowerRounding::Nearest && value >= 1.5 * power))
    ++exponent;
  return uint8_t(exponent + format.bias);
}

uint8_t lh::encodeSmallFloat(DType dtype, double value, bool saturate,
                             PowerRounding rounding) {
  const SmallFloatFormat &format = smallFloatFormat(dtype);
  if (!format.hasSign())
    return encodePower(format, value, saturate, rounding);
  if (std::isnan(value))
    return format.nan;
  double magnitude = std::fabs(value);
  int64_t code = format.largest + 1; // what an infinity overflows to
  int lowest = 1 - format.bias;
  // No format reaches 2^20; beyond, the product below might not fit.
  if (magnitude < 0x1p20) {
    int exponent =
        magnitude == 0 ? lowest : std::max(std::ilogb(magnitude), lowest);
    // Counted in units of the last place; a carry runs into the exponent.
    double units = std::ldexp(magnitude, format.fractionBits - exponent);
    code = std::llrint(units) +
           (int64_t(exponent - lowest) << format.fractionBits);
  }
  if (code > format.largest) {
    if (saturate || dtype == DType::Float4E2M1)
      code = format.largest;
    else if (format.hasInfinity)
      code = format.largest + 1;
    else
      return format.nan;
  }
  bool keepsSign = std::signbit(value) && (code != 0 || format.hasNegativeZero);
  return uint8_t(code | (keepsSign ? format.signBit() : 0));
}
