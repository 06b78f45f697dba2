// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a finalist takes the default's place.
#include "core/tune/Winner.h"

#include "core/bench/Bounds.h"

using namespace lh;

/// That the default is replaced by what is no better.
static constexpr double chanceOfMistake = 0.05;

Gain lh::gainOf(const SampleStatistics &ratio, size_t finalists) {
  double chance =
      chanceOfMistake / static_cast<double>(std::max<size_t>(finalists, 1));
  auto degrees = static_cast<size_t>(degreesOfMedian(ratio.count));
  double error = studentQuantile(chance, degrees) * ratio.relativeError;
  return {ratio.median, ratio.median * (1 - error), ratio.median * (1 + error)};
}

std::optional<size_t> lh::winnerOf(ArrayRef<SampleStatistics> ratios,
                                   double leastGain) {
  std::optional<size_t> winner;
  for (size_t i = 0; i < ratios.size(); ++i) {
    bool isFaster = gainOf(ratios[i], ratios.size()).from > 1 + leastGain;
    if (isFaster && (!winner || ratios[i].median > ratios[*winner].median))
      winner = i;
  }
  return winner;
}
