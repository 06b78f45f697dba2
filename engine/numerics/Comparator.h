// Comparing two tensors as numbers.
#ifndef LH_NUMERICS_COMPARATOR_H
#define LH_NUMERICS_COMPARATOR_H

#include "numerics/Tensor.h"

namespace lh {

/// An element passes when |actual - expected| <= atol + rtol * |expected|, or
/// (where `ulp` is given) when the two are at most `ulp` representable values
/// apart. NaN matches NaN and each infinity itself, by position. Integers and
/// bool compare exactly unless a bound is given.
struct Tolerance {
  double atol = 0;
  double rtol = 0;
  std::optional<int64_t> ulp;
};

/// The tolerance used when nothing else says one (docs/testing.md tells why).
Tolerance builtInTolerance(DType dtype);

struct WorstElement {
  std::vector<int64_t> index;
  double actual = 0, expected = 0;
};

/// Means, percentiles, L2 and cosine are of the pairs that are finite on both
/// sides. A NaN or infinity that the other side lacks makes the maxima and the
/// smallest tolerances infinite and maxUlp the largest int64.
struct CompareResult {
  bool passed = false;
  /// Why it could not be compared (the shapes differ); empty otherwise.
  std::string mismatch;
  Tolerance tolerance; ///< the one that was applied
  int64_t elements = 0, mismatches = 0;
  double maxAbs = 0, meanAbs = 0, p99Abs = 0;
  /// |a-e| / max(|e|, tiny), tiny being the smallest normal number (integers:
  /// 1) of actual's type.
  double maxRel = 0, meanRel = 0, p99Rel = 0;
  int64_t maxUlp = 0;
  double relativeL2 = 0, cosine = 1;
  /// Largest |expected|; maxAbs / maxNorm is the error of the max-norm.
  double maxNorm = 0;
  int64_t nanActual = 0, nanExpected = 0, infActual = 0, infExpected = 0;
  std::vector<WorstElement> worst; ///< at most five, worst first
  double smallestAtol = 0; ///< the smallest atol (rtol = 0) that would pass
  double smallestRtol = 0; ///< the smallest rtol (atol = 0) that would pass
};

/// Shapes must be equal; element types may differ (an f64 oracle against an
/// f32 result), ULP then counts in `actual`'s type, and an expected value
/// beyond that type's range counts as the infinity it rounds to.
CompareResult compareTensors(const Tensor &actual, const Tensor &expected,
                             const Tolerance &tolerance);

} // namespace lh

#endif // LH_NUMERICS_COMPARATOR_H
