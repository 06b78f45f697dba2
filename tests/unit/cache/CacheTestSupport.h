// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans in a few words.
#ifndef LH_TESTS_UNIT_CACHE_CACHETESTSUPPORT_H
#define LH_TESTS_UNIT_CACHE_CACHETESTSUPPORT_H

#include "../TestFolder.h"

#include "core/plan/SubPlan.h"

namespace lh {

/// Adds a step below `parent`.
inline StepId addStep(Plan &plan, std::string bubble, StepAction action,
                      std::optional<StepId> parent = std::nullopt) {
  Step step;
  step.bubble = std::move(bubble);
  step.declaredAt = {"job.yaml", 10, 3, 4};
  step.action = std::move(action);
  return appendStep(plan, parent, std::move(step));
}

} // namespace lh

#endif // LH_TESTS_UNIT_CACHE_CACHETESTSUPPORT_H
