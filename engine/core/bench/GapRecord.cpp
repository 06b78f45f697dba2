// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What leaving a gap out comes to.
#include "core/bench/GapRecord.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace lh;

/// Of a ratio, on each side.
static constexpr double intervalErrors = 2;
/// Two builds of one code differ by as much, by where they lie in memory.
static constexpr double leastSlowdown = 1.02;

Slowdown lh::slowdownOf(const SampleStatistics &ratio) {
  Slowdown slowdown;
  if (ratio.median <= 0)
    return slowdown;
  double error = intervalErrors * ratio.relativeError;
  slowdown.times = 1 / ratio.median;
  slowdown.low = slowdown.times / (1 + error);
  slowdown.high = slowdown.times / std::max(1 - error, 0.01);
  return slowdown;
}

Slowdown lh::ofBoth(const Slowdown &one, const Slowdown &other) {
  bool isNearer =
      std::abs(std::log(one.times)) <= std::abs(std::log(other.times));
  return {(isNearer ? one : other).times, std::min(one.low, other.low),
          std::max(one.high, other.high)};
}

GapWorth lh::worthOf(const Slowdown &slowdown) {
  if (slowdown.times > leastSlowdown && slowdown.low > 1)
    return GapWorth::Slower;
  if (slowdown.times < 1 / leastSlowdown && slowdown.high < 1)
    return GapWorth::Faster;
  return GapWorth::Nothing;
}

void lh::sortByWorth(std::vector<GapTrial> &trials) {
  auto key = [](const GapTrial &trial) {
    double times = trial.slowdown ? trial.slowdown->times : 0;
    return std::tuple(trial.worth, -times, trial.name);
  };
  llvm::stable_sort(trials, [&](const GapTrial &one, const GapTrial &other) {
    return key(one) < key(other);
  });
}
