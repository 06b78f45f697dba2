// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seeded tensors: the same numbers on every platform.
#ifndef LH_CORE_NUMERICS_GENERATE_H
#define LH_CORE_NUMERICS_GENERATE_H

#include "core/numerics/Tensor.h"

namespace lh {

enum class Distribution { Normal, Uniform, Integers, Zeros, Ones, Specials };

/// "normal", "uniform", "integers", "zeros", "ones", "specials".
std::optional<Distribution> parseDistribution(StringRef word);
/// The words that parseDistribution accepts.
ArrayRef<StringRef> distributionWords();

/// `low` and `high` bound `uniform` and `integers` (both ends
/// included). `normal` ignores them: mean 0, deviation 1, bounded by +-6 (the
/// sum of twelve uniform numbers, which needs no libm). `specials` is `normal`
/// with one element in sixteen, but at most 48, replaced: by NaN, infinities,
/// zeros of both signs, denormals, the smallest and the largest normal numbers;
/// of integers by their extremes, 0 and +-1. Types below 16 bits have no
/// specials but those of integers.
struct GenerateOptions {
  Distribution distribution = Distribution::Normal;
  double low = -1.0, high = 1.0;
  /// Of `specials`: whether the largest numbers are. Otherwise the squares of
  /// the largest that are drawn stay finite, even when many are added.
  bool extremes = true;
  /// Of `specials`: every other row of floats, along the last dimension, has
  /// none but lies as a whole so far from zero (+-300, float16: 30, float64:
  /// 1000) that the exponential of it leaves the type's range.
  bool offsets = false;
};

/// A seed for one of several tensors, by name: equal names draw equal numbers.
uint64_t seedForName(uint64_t seed, StringRef name);

/// Values are drawn as doubles in row-major order and converted as
/// Tensor::set() does. Of bool, every distribution but zeros and ones draws a
/// fair coin. Asserts low <= high and a shape that Tensor's constructor takes.
Tensor generateTensor(DType dtype, std::vector<int64_t> shape,
                      const GenerateOptions &options, uint64_t seed);

} // namespace lh

#endif // LH_CORE_NUMERICS_GENERATE_H
