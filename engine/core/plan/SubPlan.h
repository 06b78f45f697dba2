// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grows a plan by further branches, and takes parts out of it.
#ifndef LH_CORE_PLAN_SUBPLAN_H
#define LH_CORE_PLAN_SUBPLAN_H

#include "core/plan/RunRecord.h"

namespace lh {

/// Adds a new step below `parent`, or as a root, even where an equal one is
/// there.
StepId appendStep(Plan &plan, std::optional<StepId> parent, Step step);

/// The plan with only the steps that lead to `leaves`. Ids stay, so that
/// outcomes and files of several such parts belong to one plan. It has no
/// results: who runs a part judges for himself.
Plan restrictedTo(const Plan &plan, ArrayRef<StepId> leaves);

/// Takes over what `ran` says of steps that it has run.
void mergeOutcomes(std::vector<StepOutcome> &known,
                   std::vector<StepOutcome> ran);

} // namespace lh

#endif // LH_CORE_PLAN_SUBPLAN_H
