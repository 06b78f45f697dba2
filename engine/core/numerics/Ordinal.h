// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far numbers of a type lie apart.
#ifndef LH_CORE_NUMERICS_ORDINAL_H
#define LH_CORE_NUMERICS_ORDINAL_H

#include "core/numerics/Tensor.h"

namespace lh {

/// Of an IEEE format's bits, a number whose differences count representable
/// values; -0 and +0 are both 0.
template <typename Bits> int64_t ordinal(Bits bits) {
  constexpr Bits sign = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  auto magnitude = int64_t(bits & Bits(~sign));
  return bits & sign ? -magnitude : magnitude;
}

/// The same of `value` rounded to `dtype`, a float of any size.
int64_t ordinalIn(DType dtype, double value);

/// The type's smallest normal number; of integers 1, the smallest magnitude
/// above zero.
double smallestNormal(DType dtype);

} // namespace lh

#endif // LH_CORE_NUMERICS_ORDINAL_H
