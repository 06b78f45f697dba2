// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The float formats of eight and four bits as bit patterns.
#ifndef LH_CORE_NUMERICS_SMALLFLOAT_H
#define LH_CORE_NUMERICS_SMALLFLOAT_H

#include "core/numerics/Tensor.h"

namespace lh {

/// Codes are what a byte of the tensor holds: the sign on top, then exponent
/// and fraction. Subnormals are as in IEEE formats; float8e8m0 has none, and
/// neither a sign nor zero: its code c is 2^(c - 127).
struct SmallFloatFormat {
  int exponentBits, fractionBits, bias;
  uint8_t largest; ///< code of the largest finite number
  /// Code of a NaN; of float4e2m1, which has none, what a NaN becomes.
  uint8_t nan;
  bool hasInfinity = false; ///< its code is largest + 1
  bool hasNegativeZero = false;

  bool hasSign() const { return exponentBits + fractionBits < 8; }
  /// 0 for float8e8m0.
  uint8_t signBit() const {
    return uint8_t(1 << (exponentBits + fractionBits));
  }
  /// The largest code, counting the sign: 15 for float4e2m1, else 255.
  uint8_t lastCode() const {
    return uint8_t(hasSign() ? 2 * signBit() - 1 : 255);
  }
};

/// Asserts isSmallFloat(dtype).
const SmallFloatFormat &smallFloatFormat(DType dtype);

/// How float8e8m0, the powers of two, takes what lies between two of them.
enum class PowerRounding {
  Up,     ///< to the larger
  Down,   ///< to the smaller
  Nearest ///< to the nearer; the middle goes to the larger
};

/// Exact; NaN for codes that the format doesn't have.
double decodeSmallFloat(DType dtype, uint8_t code);

/// Rounds once, to nearest even, with subnormals. What rounds beyond the
/// largest number becomes that when `saturate`, else infinity or, where the
/// format has none, NaN (float4e2m1: always the largest). float8e8m0 rounds as
/// `rounding` says, takes zero and what is below 2^-127 as that when
/// `saturate`, else as NaN, and negative numbers as NaN.
uint8_t encodeSmallFloat(DType dtype, double value, bool saturate = true,
                         PowerRounding rounding = PowerRounding::Up);

} // namespace lh

#endif // LH_CORE_NUMERICS_SMALLFLOAT_H
