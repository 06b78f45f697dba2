// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of elements in blocks that stay in the first-level cache.
#ifndef LH_CORE_NUMERICS_PAIRBLOCK_H
#define LH_CORE_NUMERICS_PAIRBLOCK_H

#include "core/numerics/Comparator.h"

namespace lh {

/// Some consecutive pairs, with what judging them needs. Pairs may be taken
/// out of the middle; `offset` then tells where in the run each one was.
struct PairBlock {
  static constexpr int64_t capacity = 512;

  int64_t first = 0; ///< position of the run's first element
  int64_t size = 0;
  bool hasGaps = false;
  alignas(64) double actual[capacity];
  alignas(64) double expected[capacity];
  alignas(64) double error[capacity]; ///< |actual - expected|
  /// The error that is; infinite, of a number that is expected: any.
  alignas(64) double allowed[capacity];
  alignas(64) int64_t distance[capacity]; ///< in representable values
  alignas(64) int64_t offset[capacity];
};

/// Reads two tensors of the same shape, and bounds, in blocks.
class PairReader {
public:
  /// Everything must outlive the reader.
  PairReader(const Tensor &actual, const Tensor &expected,
             const Tolerance &tolerance, const Tensor *bounds);

  /// All of the block from `first` on, without gaps, but distances.
  void read(int64_t first, PairBlock &block) const;
  /// The distances of what read() has just read.
  void measureDistances(PairBlock &block) const;

private:
  void overflow(PairBlock &block) const;

  const Tensor &actual, &expected;
  const Tolerance &tolerance;
  const Tensor *bounds;
  bool integers; ///< neither side is a float
  DType counted; ///< the type whose representable values are counted
  double limit;  ///< expected magnitudes from here on are infinite in it
  /// What a small float's codes stand for.
  std::vector<double> actualCodes, expectedCodes;
};

} // namespace lh

#endif // LH_CORE_NUMERICS_PAIRBLOCK_H
