// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans in a few words.
#ifndef LH_TESTS_UNIT_CACHE_CACHETESTSUPPORT_H
#define LH_TESTS_UNIT_CACHE_CACHETESTSUPPORT_H

#include "../TestFolder.h"

#include "core/plan/Plan.h"

namespace lh {

/// Adds a step below `parent`.
inline StepId addStep(Plan &plan, std::string bubble, StepAction action,
                      std::optional<StepId> parent = std::nullopt) {
  Step step;
  step.id = plan.steps.size();
  step.bubble = std::move(bubble);
  step.declaredAt = {"job.yaml", 10, 3, 4};
  step.action = std::move(action);
  step.parent = parent;
  if (parent)
    plan.steps[*parent].children.push_back(step.id);
  else
    plan.roots.push_back(step.id);
  plan.steps.push_back(std::move(step));
  return plan.steps.back().id;
}

} // namespace lh

#endif // LH_TESTS_UNIT_CACHE_CACHETESTSUPPORT_H
