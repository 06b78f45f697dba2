// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tuner may choose among.
#ifndef LH_CORE_TUNE_SPACE_H
#define LH_CORE_TUNE_SPACE_H

#include "core/manifest/Combinations.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lh {

/// What a trial may set.
using TuneDimension = NamedChoices;

/// One choice: a value for some of the dimensions' names. Names that only
/// another strategy has are absent. The empty one leaves all to the rules.
using TunePoint = Combination;

/// All points that may be tried, each once, the default first. They are listed
/// one by one: spaces are small enough to be filtered.
struct TuneSpace {
  std::vector<TunePoint> points;
};

/// Adds to `space` what `fixed` comes to with each combination of the
/// dimensions' values, the last dimension's changing fastest. Left out are
/// those that `isAllowed` refuses, and those that `space` has.
void addPoints(TuneSpace &space, const TunePoint &fixed,
               ArrayRef<TuneDimension> dimensions,
               llvm::function_ref<bool(const TunePoint &)> isAllowed);

/// The names that points of `space` set, each with the values it has anywhere:
/// numbers ascending, others in the order of the points. 4 and 4.0 are one.
std::vector<TuneDimension> dimensionsOf(const TuneSpace &space);

/// Where `point` is in `space`.
std::optional<size_t> indexOf(const TuneSpace &space, const TunePoint &point);

/// "block=64 rows=12 strategy=tile", by name; "default" for the empty point.
std::string textOf(const TunePoint &point);

/// 32 hexadecimal digits that change with the names, the values and their
/// types, with which point is the default and which there are, but not with
/// the order of the others.
std::string hashOf(const TuneSpace &space);

} // namespace lh

#endif // LH_CORE_TUNE_SPACE_H
