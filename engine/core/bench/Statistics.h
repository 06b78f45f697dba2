// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a series of measured times comes to.
#ifndef LH_CORE_BENCH_STATISTICS_H
#define LH_CORE_BENCH_STATISTICS_H

#include "core/support/Diagnostic.h"

#include <vector>

namespace lh {

struct SampleStatistics {
  size_t count = 0;
  double median = 0, min = 0, max = 0, p05 = 0, p95 = 0;
  /// The standard error of the median as a share of it, whatever the samples'
  /// distribution: from those that stand around the median in order. 1 when
  /// fewer than three samples say nothing of it.
  double relativeError = 1;
};

/// The value below which the share `rank` (0 to 1) of `sorted` lies, by linear
/// interpolation between neighbours. `sorted` holds something, ascending.
double quantile(ArrayRef<double> sorted, double rank);

/// All zeros, and an error of 1, of nothing.
SampleStatistics statisticsOf(std::vector<double> samples);

} // namespace lh

#endif // LH_CORE_BENCH_STATISTICS_H
