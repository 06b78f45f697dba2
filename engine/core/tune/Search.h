// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which points to try next.
#ifndef LH_CORE_TUNE_SEARCH_H
#define LH_CORE_TUNE_SEARCH_H

#include "core/support/EnumNames.h"
#include "core/tune/Space.h"

namespace lh {

enum class SearchKind {
  Tpe,    ///< what good points have more often than the others
  Random, ///< the control
  All     ///< each of them
};

inline ArrayRef<StringRef> enumNames(SearchKind) {
  static constexpr StringRef names[] = {"tpe", "random", "all"};
  return names;
}

/// Up to so many points are all tried, by whatever search.
inline constexpr size_t smallSpace = 64;

/// What is known of a point.
struct TriedPoint {
  size_t point = 0; ///< in the space
  /// Its time as a share of the default's in the same round. Nothing where it
  /// has no time: it isn't right, doesn't compile, takes too long.
  std::optional<double> cost;
};

/// At most `count` points that were not tried, to be tried in one round; fewer
/// only when no more are left. Random searches, exhaustive ones and those of
/// small spaces go by one order that `seed` gives, so that those who stop early
/// had a random sample. Of a point that was tried twice the last cost counts.
///
/// Depends on what was tried and on `seed` alone, and is the same on all
/// machines: who stops and goes on later tries the same as who never stopped.
std::vector<size_t> proposePoints(const TuneSpace &space,
                                  ArrayRef<TriedPoint> tried, SearchKind kind,
                                  size_t count, uint64_t seed);

} // namespace lh

#endif // LH_CORE_TUNE_SEARCH_H
