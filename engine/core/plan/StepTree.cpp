// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grows a plan's tree so that equal prefixes are one.
#include "core/plan/StepTree.h"

#include "core/plan/CanonicalText.h"

using namespace lh;

StepId StepTree::add(std::optional<StepId> parent, Step step) {
  StepId id = plan.steps.size();
  auto [entry, isNew] = known.try_emplace({parent, canonicalText(step)}, id);
  if (!isNew)
    return entry->second;
  step.id = id;
  step.parent = parent;
  plan.steps.push_back(std::move(step));
  if (parent)
    plan.steps[*parent].children.push_back(id);
  else
    plan.roots.push_back(id);
  return id;
}
