// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a series of measured times comes to.
#include "core/bench/Statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace lh;

double lh::quantile(ArrayRef<double> sorted, double rank) {
  assert(!sorted.empty() && "no value lies among none");
  double place = rank * static_cast<double>(sorted.size() - 1);
  auto below = static_cast<size_t>(place);
  size_t above = std::min(below + 1, sorted.size() - 1);
  double share = place - static_cast<double>(below);
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

/// Of n samples, as many lie below the true median as of n coins show heads:
/// n / 2, give or take sqrt(n) / 2. So the samples which stand that far from
/// the middle are a standard error away from it.
static double errorOfMedian(ArrayRef<double> sorted) {
  auto count = static_cast<double>(sorted.size());
  double ranks = std::sqrt(count) / 2 / (count - 1);
  double low = quantile(sorted, std::max(0.0, 0.5 - ranks));
  double high = quantile(sorted, std::min(1.0, 0.5 + ranks));
  return (high - low) / 2;
}

SampleStatistics lh::statisticsOf(std::vector<double> samples) {
  SampleStatistics result;
  result.count = samples.size();
  if (samples.empty())
    return result;
  std::sort(samples.begin(), samples.end());
  result.min = samples.front();
  result.max = samples.back();
  result.median = quantile(samples, 0.5);
  result.p05 = quantile(samples, 0.05);
  result.p95 = quantile(samples, 0.95);
  if (samples.size() > 2 && result.median > 0)
    result.relativeError = errorOfMedian(samples) / result.median;
  return result;
}
