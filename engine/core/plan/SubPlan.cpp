// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grows a plan by further branches, and takes parts out of it.
#include "core/plan/SubPlan.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

StepId lh::appendStep(Plan &plan, std::optional<StepId> parent, Step step) {
  step.id = plan.steps.size();
  step.parent = parent;
  step.children.clear();
  (parent ? plan.steps[*parent].children : plan.roots).push_back(step.id);
  plan.steps.push_back(std::move(step));
  return plan.steps.back().id;
}

Plan lh::restrictedTo(const Plan &plan, ArrayRef<StepId> leaves) {
  Plan part = plan;
  part.results.clear();
  part.comparisons.clear();
  std::vector<bool> leads(plan.steps.size(), false);
  for (StepId leaf : leaves)
    for (StepId step : plan.pathTo(leaf))
      leads[step] = true;
  auto isAside = [&](StepId step) { return !leads[step]; };
  llvm::erase_if(part.roots, isAside);
  for (Step &step : part.steps)
    llvm::erase_if(step.children, isAside);
  return part;
}

void lh::mergeOutcomes(std::vector<StepOutcome> &known,
                       std::vector<StepOutcome> ran) {
  if (known.size() < ran.size())
    known.resize(ran.size());
  for (StepOutcome &outcome : ran)
    if (outcome.status != StepStatus::NotRun)
      known[outcome.step] = std::move(outcome);
}
