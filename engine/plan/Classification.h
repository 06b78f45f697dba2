// Scores of a classifier against the right classes.
#ifndef LH_PLAN_CLASSIFICATION_H
#define LH_PLAN_CLASSIFICATION_H

#include "numerics/Tensor.h"
#include "support/Diagnostic.h"

namespace lh {

/// How many rows of `scores` (its last dimension: one number per class) have
/// their largest number at the class that `labels` names for the row, and how
/// many rows there are. Fails with `reason` when there isn't a label per row.
FailureOr<std::pair<int64_t, int64_t>>
countRight(const Tensor &scores, const Tensor &labels, std::string &reason);

} // namespace lh

#endif // LH_PLAN_CLASSIFICATION_H
