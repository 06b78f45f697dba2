// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What compareTensors() tells of a stream of pairs.
#ifndef LH_CORE_NUMERICS_STATISTICS_H
#define LH_CORE_NUMERICS_STATISTICS_H

#include "core/numerics/PairBlock.h"
#include "core/numerics/Percentile.h"

namespace lh {

/// Accumulates the statistics of the blocks it is given, in order, in constant
/// memory.
class Statistics {
public:
  /// Fills in `result`, which must outlive this, for a tensor of `dtype`.
  Statistics(CompareResult &result, DType dtype, int64_t elements);

  /// Reduces `block` to its finite pairs.
  void add(PairBlock &block);
  /// Looks at the tensors again where that is needed.
  void finish(const Tensor &actual, const Tensor &expected);

private:
  /// Of each finite pair of a block.
  struct Ratios {
    alignas(64) double relative[PairBlock::capacity];
    alignas(64) double share[PairBlock::capacity]; ///< of what is allowed
  };
  struct Candidate {
    double share = 0, error = 0;
    int64_t position = 0, distance = 0;
  };
  /// Over the finite pairs.
  struct Sums {
    double error = 0, relative = 0;
    double errorSquared = 0, actualSquared = 0, expectedSquared = 0, dot = 0;
  };
  struct Extremes {
    double error = 0, relative = 0, share = 0, actual = 0;
    int64_t mismatches = 0;
  };

  void takeSpecials(PairBlock &block);
  void addSpecial(const PairBlock &block, int64_t i);
  void divide(const PairBlock &block);
  void share(const PairBlock &block);
  void shareOfUlp(const PairBlock &block);
  void addSums(const PairBlock &block);
  Extremes addExtremes(const PairBlock &block);
  void addRange(const PairBlock &block);
  void addDistances(const PairBlock &block);
  void addWorst(const PairBlock &block, const Extremes &extremes);
  void remember(const Candidate &candidate);
  void measureAngle(const Tensor &actual, const Tensor &expected);

  CompareResult &result;
  double tiny; ///< floor of the denominator of relative errors
  Percentile absolute, relative;
  Ratios ratios;
  std::vector<Candidate> worst;
  int64_t finite = 0;
  Sums sums;
  double maxActual = 0;
};

/// The index in each dimension of the element at `position`.
std::vector<int64_t> indexOf(int64_t position, ArrayRef<int64_t> shape);

/// "[0, 17]".
std::string indexText(ArrayRef<int64_t> index);

} // namespace lh

#endif // LH_CORE_NUMERICS_STATISTICS_H
