// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparing two samples of random numbers.
#ifndef LH_CORE_NUMERICS_DISTRIBUTION_H
#define LH_CORE_NUMERICS_DISTRIBUTION_H

#include "core/numerics/Tensor.h"

#include <optional>
#include <string>

namespace lh {

/// What a sample says of the distribution that it was drawn from.
struct SampleMoments {
  int64_t count = 0;
  double mean = 0, variance = 0;
  double fourth = 0; ///< central moment
  double least = 0, largest = 0;
  int64_t notFinite = 0; ///< which the others leave out
};

SampleMoments momentsOf(const Tensor &sample);

/// How two samples differ, in words, where they can't be of one distribution;
/// nothing where they can. Means and variances may be four standard errors
/// apart, each error estimated from both samples (of a mean: variance / n; of a
/// variance: (fourth moment - variance^2) / n); no number may lie farther
/// beyond the other sample's extremes than (2 + 10 / sqrt(n)) standard
/// deviations; what isn't finite must be so equally often.
std::optional<std::string> differenceOf(const SampleMoments &actual,
                                        const SampleMoments &expected);

} // namespace lh

#endif // LH_CORE_NUMERICS_DISTRIBUTION_H
