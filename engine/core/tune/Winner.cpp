// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a finalist takes the default's place.
#include "core/tune/Winner.h"

#include "core/bench/Bounds.h"
#include "core/bench/Statistics.h"

#include <cmath>
#include <limits>

using namespace lh;

/// That the default is replaced by what is no better.
static constexpr double chanceOfMistake = 0.05;

/// A median's standard error as a mean's, of many normal samples: sqrt(pi / 2).
static constexpr double errorOfMedian = 1.2533;

/// The standard error of the ratios' median, from how much they differ.
static double errorOf(ArrayRef<double> ratios) {
  auto count = static_cast<double>(ratios.size());
  double mean = 0, squares = 0;
  for (double ratio : ratios)
    mean += ratio / count;
  for (double ratio : ratios)
    squares += (ratio - mean) * (ratio - mean);
  return errorOfMedian * std::sqrt(squares / (count - 1) / count);
}

Gain lh::gainOf(ArrayRef<double> ratios, size_t finalists) {
  double median = statisticsOf(ratios.vec()).median;
  if (ratios.size() < 2)
    return {median, 0, std::numeric_limits<double>::infinity()};
  double chance =
      chanceOfMistake / static_cast<double>(std::max<size_t>(finalists, 1));
  double error = studentQuantile(chance, ratios.size() - 1) * errorOf(ratios);
  return {median, median - error, median + error};
}

std::optional<size_t> lh::winnerOf(ArrayRef<std::vector<double>> ratios,
                                   double leastGain) {
  std::optional<size_t> winner;
  double most = 0;
  for (size_t i = 0; i < ratios.size(); ++i) {
    Gain gain = gainOf(ratios[i], ratios.size());
    if (gain.from > 1 + leastGain && gain.median > most) {
      winner = i;
      most = gain.median;
    }
  }
  return winner;
}
