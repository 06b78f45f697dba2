// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparing two tensors as numbers.
#ifndef LH_CORE_NUMERICS_COMPARATOR_H
#define LH_CORE_NUMERICS_COMPARATOR_H

#include "core/numerics/Tensor.h"

#include <algorithm>
#include <array>
#include <bit>

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
  int64_t ulp = 0;  ///< how far apart, in representable values
  double share = 0; ///< the error as a share of what was allowed
};

/// Counts of distances in representable values of actual's type (integers: in
/// units): 0, 1, 2, 3 to 4, 5 to 8, ..., up to 2^15, more, and last the
/// specials that don't match. Specials that do match count as 0.
inline constexpr size_t ulpBuckets = 19;
using UlpHistogram = std::array<int64_t, ulpBuckets>;

/// The bucket that counts `distance`.
inline size_t ulpBucketOf(int64_t distance) {
  auto width = distance > 0 ? 1 + std::bit_width(uint64_t(distance) - 1) : 0;
  return std::min<size_t>(size_t(width), ulpBuckets - 2);
}

/// Means, percentiles, ranges, L2 and cosine are of the pairs that are finite
/// on both sides. A NaN or infinity that the other side lacks makes the maxima
/// and the smallest tolerances infinite and maxUlp the largest int64.
struct CompareResult {
  bool passed = false;
  /// Why it could not be compared (the shapes differ); empty otherwise.
  std::string mismatch;
  Tolerance tolerance; ///< the one that was applied
  int64_t elements = 0, mismatches = 0;
  /// Elements that nothing was said about: a bound that isn't finite. They are
  /// in all statistics, but neither pass nor fail.
  int64_t unbounded = 0;
  double maxAbs = 0, meanAbs = 0, p99Abs = 0, rmsAbs = 0;
  /// |a-e| / max(|e|, tiny), tiny being the smallest normal number (integers:
  /// 1) of actual's type.
  double maxRel = 0, meanRel = 0, p99Rel = 0;
  int64_t maxUlp = 0;
  UlpHistogram ulpHistogram = {};
  double relativeL2 = 0, cosine = 1;
  /// Largest |expected|; maxAbs / maxNorm is the error of the max-norm.
  double maxNorm = 0;
  double rmsExpected = 0, minExpected = 0, maxExpected = 0;
  int64_t nanActual = 0, nanExpected = 0, infActual = 0, infExpected = 0;
  /// Numbers other than zero below the smallest normal one of actual's type.
  int64_t denormalActual = 0, denormalExpected = 0;
  std::vector<WorstElement> worst; ///< at most five, worst first
  /// The largest share of what was allowed that an element's error takes: at
  /// most 1 where all pass.
  double worstShare = 0;
  double smallestAtol = 0; ///< the smallest atol (rtol = 0) that would pass
  double smallestRtol = 0; ///< the smallest rtol (atol = 0) that would pass

  /// Elements exactly one representable value (integers: one unit) apart: of
  /// quantised results, what a tie that rounds the other way gives.
  int64_t offByOne() const { return ulpHistogram[1]; }
  /// Peak signal to noise in dB, the peak being the range of what is expected;
  /// infinite without an error.
  double psnr() const;
};

/// Shapes must be equal; element types may differ (an f64 oracle against an
/// f32 result), ULP then counts in `actual`'s type, and an expected value
/// beyond that type's range counts as the infinity it rounds to.
///
/// `bounds`, a float64 tensor of the same shape, gives each element its own
/// allowed error in place of atol + rtol * |expected| (`ulp`, where given,
/// still excuses). A bound that is infinite or NaN leaves an element unjudged.
CompareResult compareTensors(const Tensor &actual, const Tensor &expected,
                             const Tolerance &tolerance,
                             const Tensor *bounds = nullptr);

/// compareTensors(...).passed alone, several times faster; ends at the first
/// block with an element that doesn't pass.
bool withinTolerance(const Tensor &actual, const Tensor &expected,
                     const Tolerance &tolerance,
                     const Tensor *bounds = nullptr);

} // namespace lh

#endif // LH_CORE_NUMERICS_COMPARATOR_H
