// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a finalist takes the default's place.
#ifndef LH_CORE_TUNE_WINNER_H
#define LH_CORE_TUNE_WINNER_H

#include "core/support/Diagnostic.h"

#include <optional>
#include <vector>

namespace lh {

/// How many times as fast as the default something is, and the bounds of that.
struct Gain {
  double median = 1, from = 1, to = 1;
};

/// Of `ratios`, the default's time to its own, each measured in processes of
/// its own: where a process's memory lies makes the same code faster or slower
/// by more than laps differ within one. With a chance of 5 % at most is any of
/// `finalists` gains below its `from`, and with the same any above its `to`:
/// each bound errs in 5 % divided by the finalists (Bonferroni). It lies as
/// many standard errors of the median away as Student's t says with one degree
/// of freedom less than there are ratios: for four finalists and five
/// ratios 3.5. One ratio bounds nothing.
Gain gainOf(ArrayRef<double> ratios, size_t finalists);

/// Which finalist takes the default's place: of those whose gain is surely
/// above 1 + `leastGain`, the one with the highest median. Nothing: the default
/// is as good. `ratios` are of a measurement made for this; those that the
/// finalists were chosen by are too good by luck.
std::optional<size_t> winnerOf(ArrayRef<std::vector<double>> ratios,
                               double leastGain = 0.01);

} // namespace lh

#endif // LH_CORE_TUNE_WINNER_H
