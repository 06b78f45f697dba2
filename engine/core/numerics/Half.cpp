// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between the 16-bit float formats and the wide ones.
#include "core/numerics/Half.h"

#include <bit>

namespace {

/// Rounds to a 16-bit format with this many exponent and fraction bits.
template <int ExponentBits, int FractionBits> uint16_t roundTo16(double value) {
  constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  constexpr uint16_t infinity = ((1 << ExponentBits) - 1) << FractionBits;
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint16_t sign = uint16_t((bits >> 48) & 0x8000);
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  int exponent = int((bits >> 52) & 0x7ff);
  if (exponent == 0x7ff) {
    if (fraction == 0)
      return sign | infinity;
    // The quiet bit keeps a NaN a NaN when its payload's low bits are cut.
    return uint16_t(sign | infinity | (1 << (FractionBits - 1)) |
                    (fraction >> (52 - FractionBits)));
  }
  exponent += bias - 1023;
  if (exponent >= (1 << ExponentBits) - 1)
    return sign | infinity;
  int shift = 52 - FractionBits;
  uint64_t significand = fraction | (uint64_t(1) << 52);
  uint64_t result = 0;
  if (exponent <= 0) {
    shift += 1 - exponent; // subnormal: fewer bits of the significand remain
    if (shift > 54)
      return sign; // below half of the smallest subnormal
    result = significand >> shift;
  } else {
    // The implicit bit adds one to the exponent field.
    result = (uint64_t(exponent - 1) << FractionBits) + (significand >> shift);
  }
  uint64_t half = uint64_t(1) << (shift - 1);
  uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
  if (rest > half || (rest == half && (result & 1)))
    ++result; // a carry runs into the exponent, up to infinity, as it should
  return uint16_t(sign | result);
}

} // namespace

uint16_t lh::doubleToHalf(double value) { return roundTo16<5, 10>(value); }

uint16_t lh::doubleToBFloat16(double value) { return roundTo16<8, 7>(value); }
