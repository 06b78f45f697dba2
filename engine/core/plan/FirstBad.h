// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds where a row of prefixes turns from good to bad.
#ifndef LH_CORE_PLAN_FIRSTBAD_H
#define LH_CORE_PLAN_FIRSTBAD_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>
#include <vector>

namespace lh {

/// What a probe of one prefix has shown.
enum class Verdict {
  Good,
  Bad,
  Unknown ///< nothing could complete it
};

struct FirstBad {
  /// The last prefix seen to be good and the first seen to be bad: neighbours,
  /// but for those in `unknown`.
  size_t good = 0, bad = 0;
  std::vector<size_t> unknown; ///< between the two, ascending
  unsigned probes = 0;         ///< how often `probe` was called
};

/// Halves the way between the prefix of length `good`, which is good, and that
/// of length `bad`, which is bad. Where a prefix tells nothing, its neighbours
/// are asked, the nearest to the middle first.
FirstBad findFirstBad(size_t good, size_t bad,
                      llvm::function_ref<Verdict(size_t)> probe);

} // namespace lh

#endif // LH_CORE_PLAN_FIRSTBAD_H
