// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grows a plan's tree so that equal prefixes are one.
#include "core/plan/StepTree.h"

#include "core/plan/CanonicalText.h"
#include "core/plan/SubPlan.h"

using namespace lh;

StepTree::StepTree(Plan &plan) : plan(plan) {
  for (const Step &step : plan.steps)
    known.try_emplace({step.parent, canonicalText(step)}, step.id);
}

StepId StepTree::add(std::optional<StepId> parent, Step step) {
  StepId id = plan.steps.size();
  auto [entry, isNew] = known.try_emplace({parent, canonicalText(step)}, id);
  return isNew ? appendStep(plan, parent, std::move(step)) : entry->second;
}
