// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The larger values of a stream, by rank, in constant memory.
#ifndef LH_CORE_NUMERICS_PERCENTILE_H
#define LH_CORE_NUMERICS_PERCENTILE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lh {

/// Finds the 99th percentile (nearest rank) of `elements` values of at least
/// zero. Up to 1.6 million it keeps the largest hundredth and is exact; beyond,
/// it counts them by exponent and seven bits of fraction, 2 MB however many
/// there are, and is within 0.4 %.
class Percentile {
public:
  explicit Percentile(int64_t elements);

  /// Adds `count` values, of which `largest` is the largest.
  void add(const double *values, int64_t count, double largest) {
    if (largest <= floor)
      return;
    highest = std::max(highest, largest);
    addAboveFloor(values, count);
  }

  /// The 99th percentile of `count` values: those that were added, and zeros
  /// for the rest.
  double of(int64_t count);

private:
  void addAboveFloor(const double *values, int64_t count);
  void keepThese(const double *picked, int64_t count);
  void countThese(const double *picked, int64_t count);
  void shrink();
  void raiseFloor();
  double countedAt(size_t rank) const;

  size_t keep; ///< how many lie at or above the percentile
  /// No value up to this one matters.
  double floor = 0;
  double highest = 0;          ///< of all values
  std::vector<double> values;  ///< while they are kept one by one
  std::vector<int64_t> counts; ///< by leading bits, where they are too many
  size_t countedSinceRaise = 0;
};

} // namespace lh

#endif // LH_CORE_NUMERICS_PERCENTILE_H
