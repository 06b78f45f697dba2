// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a finalist takes the default's place.
#ifndef LH_CORE_TUNE_WINNER_H
#define LH_CORE_TUNE_WINNER_H

#include "core/bench/Statistics.h"

#include <optional>

namespace lh {

/// How many times as fast as the default something is, and the bounds of that.
struct Gain {
  double median = 1, from = 1, to = 1;
};

/// Of `ratio`, the default's time to its own in neighbouring laps, as BenchRow
/// has it. With a chance of 5 % at most is any of `finalists` gains below its
/// `from`, and with the same any above its `to`: each bound errs in 5 % divided
/// by the finalists (Bonferroni). It lies as many standard errors away as
/// Student's t says, with the root of the samples as degrees of freedom, for
/// the standard error is an estimate too. For four finalists and 100 samples
/// 2.6, for 15 samples 4.2; the normal distribution has 2.24, and with it a
/// default would beat itself too often.
Gain gainOf(const SampleStatistics &ratio, size_t finalists);

/// Which finalist takes the default's place: of those whose gain is surely
/// above 1 + `leastGain`, the one with the highest median. Nothing: the default
/// is as good. `ratios` are of a measurement made for this; those that the
/// finalists were chosen by are too good by luck.
std::optional<size_t> winnerOf(ArrayRef<SampleStatistics> ratios,
                               double leastGain = 0.01);

} // namespace lh

#endif // LH_CORE_TUNE_WINNER_H
