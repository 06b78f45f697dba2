// Seeded tensors: the same numbers on every platform.
#ifndef LH_NUMERICS_GENERATE_H
#define LH_NUMERICS_GENERATE_H

#include "numerics/Tensor.h"

namespace lh {

enum class Distribution { Normal, Uniform, Integers, Zeros, Ones };

/// "normal", "uniform", "integers", "zeros", "ones".
std::optional<Distribution> parseDistribution(StringRef word);
/// The words that parseDistribution accepts.
ArrayRef<StringRef> distributionWords();

/// `low` and `high` bound `uniform` and `integers` (both ends
/// included). `normal` ignores them: mean 0, deviation 1, bounded by +-6 (the
/// sum of twelve uniform numbers, which needs no libm).
struct GenerateOptions {
  Distribution distribution = Distribution::Normal;
  double low = -1.0, high = 1.0;
};

/// A seed for one of several tensors, by name: equal names draw equal numbers.
uint64_t seedForName(uint64_t seed, StringRef name);

/// Values are drawn as doubles in row-major order and converted as
/// Tensor::set() does. Of bool, every distribution but zeros and ones draws a
/// fair coin. Asserts low <= high and a shape that Tensor's constructor takes.
Tensor generateTensor(DType dtype, std::vector<int64_t> shape,
                      const GenerateOptions &options, uint64_t seed);

} // namespace lh

#endif // LH_NUMERICS_GENERATE_H
