// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds the paths of one plan to another, steps that are equal once.
#ifndef LH_CORE_PLAN_JOINPLAN_H
#define LH_CORE_PLAN_JOINPLAN_H

#include "core/plan/StepTree.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lh {

/// Adds to the plan of `tree`, `plan`, those results of `other` that `takes`
/// takes, under the pipeline's name `name`, with their steps and comparisons.
/// The indices of the results.
std::vector<size_t>
joinPlan(Plan &plan, StepTree &tree, const Plan &other, StringRef name,
         llvm::function_ref<bool(const PlannedResult &)> takes);

} // namespace lh

#endif // LH_CORE_PLAN_JOINPLAN_H
