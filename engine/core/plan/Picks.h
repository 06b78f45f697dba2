// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positions that ArgMax or TopK picked, as the values they name.
#ifndef LH_CORE_PLAN_PICKS_H
#define LH_CORE_PLAN_PICKS_H

#include "core/numerics/Tensor.h"

namespace lh {

/// What positions were picked from: `scores` along `axis`, as the oracle has
/// them (float64). Borrowed.
struct PickSource {
  const Tensor &scores;
  int64_t axis = 0;
  const Tensor *bounds = nullptr; ///< of the scores, where derived
};

/// Positions as values, of the positions' shape (float64).
struct PickedValues {
  Tensor actual, expected;
  Tensor bounds;     ///< of both values together; zero without bounds
  int64_t moved = 0; ///< positions that differ
  /// Positions that differ, though the scores are exact or one is no position:
  /// nothing excuses these.
  int64_t wrong = 0;
};

/// Reads both sets of positions (integers, equal shapes) in `source`; the
/// scores' dimensions before and after the axis must account for the shape.
/// `allowed` is how far apart two scores may be taken for a tie where there are
/// no bounds.
PickedValues readPicks(const Tensor &actual, const Tensor &expected,
                       const PickSource &source, double allowed);

} // namespace lh

#endif // LH_CORE_PLAN_PICKS_H
