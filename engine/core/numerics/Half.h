// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two 16-bit float formats as bit patterns.
#ifndef LH_CORE_NUMERICS_HALF_H
#define LH_CORE_NUMERICS_HALF_H

#include <bit>
#include <cstdint>

namespace lh {

/// IEEE binary16 and bfloat16 to float: exact. NaNs keep their sign.
inline float halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t magnitude = bits & 0x7fff;
  // Read as a float, the shifted bits are 2^112 too small; the product is
  // exact and makes subnormals normal.
  float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  uint32_t special = 0x7f800000 | (magnitude << 13); // infinity and NaN
  return std::bit_cast<float>(
      sign | (magnitude >= 0x7c00 ? special : std::bit_cast<uint32_t>(scaled)));
}
inline float bfloat16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

/// Rounds once, to nearest even, with subnormals; overflow gives infinity and
/// NaN stays a (quiet) NaN. A float argument converts to double exactly, so
/// these serve both.
uint16_t doubleToHalf(double value);
uint16_t doubleToBFloat16(double value);

} // namespace lh

#endif // LH_CORE_NUMERICS_HALF_H
