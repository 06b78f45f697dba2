// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Narrow number formats, as bits.
#ifndef LH_RUNTIME_SIM_NUMBERS_H
#define LH_RUNTIME_SIM_NUMBERS_H

#include <bit>
#include <cstdint>

namespace lh {

/// IEEE binary16. Rounds to nearest, ties to even.
float halfToFloat(uint16_t bits);
uint16_t floatToHalf(float value);

inline float bfloatToFloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}
uint16_t floatToBFloat(float value);

/// tf32: what a tensor core sees of an f32's bits.
inline float tf32ToFloat(uint32_t bits) {
  return std::bit_cast<float>(bits & 0xFFFFE000u);
}
/// OCP 8-bit floats (E4M3 has no infinities).
float e4m3ToFloat(uint8_t bits);
float e5m2ToFloat(uint8_t bits);

} // namespace lh

#endif // LH_RUNTIME_SIM_NUMBERS_H
