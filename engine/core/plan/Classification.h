// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of a classifier against the right classes.
#ifndef LH_CORE_PLAN_CLASSIFICATION_H
#define LH_CORE_PLAN_CLASSIFICATION_H

#include "core/manifest/Manifest.h"
#include "core/numerics/Tensor.h"

namespace lh {

/// How many rows of `scores` (its last dimension: one number per class) have
/// their largest number at the class that `labels` names for the row, and how
/// many rows there are. Fails with `reason` when there isn't a label per row.
FailureOr<std::pair<int64_t, int64_t>>
countRight(const Tensor &scores, const Tensor &labels, std::string &reason);

/// How many rows must be classified rightly, and why so many.
struct LabelRule {
  int64_t least = 0;
  std::string reason;
};

/// The share that the manifest asks for. Without one: as many rows as in the
/// expected outputs (`golden`, where there are any), and half of them at least,
/// since labels that fit fewer are more likely wrong than the model is.
LabelRule labelRule(const std::optional<Located<double>> &share, int64_t rows,
                    std::optional<int64_t> golden);

} // namespace lh

#endif // LH_CORE_PLAN_CLASSIFICATION_H
