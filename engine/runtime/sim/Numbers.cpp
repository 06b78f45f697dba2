// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions without the host's help, so that they are the same everywhere.
#include "runtime/sim/Numbers.h"

#include <cmath>

using namespace lh;

float lh::halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000u) << 16;
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3FFu;
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
  if (exponent == 0) {
    float small = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -small : small;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t lh::floatToHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
  uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u)
    return static_cast<uint16_t>(sign | 0x7E00u);
  if (magnitude >= 0x477FF000u) // rounds past the largest
    return static_cast<uint16_t>(sign | 0x7C00u);
  if (magnitude < 0x38800000u) // below the smallest normal: in units of 2^-24
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::nearbyint(
                                            std::fabs(value) * 0x1p24f)));
  uint32_t rounded = magnitude + 0xFFFu + (magnitude >> 13 & 1u);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

uint16_t lh::floatToBFloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
    return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

float lh::e5m2ToFloat(uint8_t bits) {
  return halfToFloat(static_cast<uint16_t>(bits << 8));
}

float lh::e4m3ToFloat(uint8_t bits) {
  int exponent = bits >> 3 & 15, fraction = bits & 7;
  float magnitude =
      exponent == 15 && fraction == 7 ? std::nanf("")
      : exponent == 0
          ? std::ldexp(static_cast<float>(fraction), -9)
          : std::ldexp(static_cast<float>(8 + fraction), exponent - 10);
  return bits & 0x80 ? -magnitude : magnitude;
}
