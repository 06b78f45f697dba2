// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds the paths of one plan to another, steps that are equal once.
#include "core/plan/JoinPlan.h"

using namespace lh;

namespace {

class Joiner {
public:
  Joiner(Plan &plan, StepTree &tree, const Plan &other)
      : plan(plan), tree(tree), other(other) {}

  size_t addResult(size_t index, StringRef name);

private:
  StepId stepFor(StepId of);
  void addComparisons(size_t from, size_t to);

  Plan &plan;
  StepTree &tree;
  const Plan &other;
  std::map<StepId, StepId> copies; ///< by the other plan's
};

} // namespace

/// The step of `plan` that does what the other plan's does.
StepId Joiner::stepFor(StepId of) {
  auto found = copies.find(of);
  if (found != copies.end())
    return found->second;
  const Step &step = other.steps[of];
  std::optional<StepId> parent;
  if (step.parent)
    parent = stepFor(*step.parent);
  Step copy = step;
  copy.children.clear();
  return copies[of] = tree.add(parent, std::move(copy));
}

void Joiner::addComparisons(size_t from, size_t to) {
  for (const PlannedComparison &each : other.comparisons) {
    if (each.result != from)
      continue;
    PlannedComparison comparison = each;
    comparison.result = to;
    for (std::optional<StepId> *leaf :
         {&comparison.referenceLeaf, &comparison.plainLeaf})
      if (*leaf)
        *leaf = stepFor(**leaf);
    plan.comparisons.push_back(std::move(comparison));
  }
}

size_t Joiner::addResult(size_t index, StringRef name) {
  PlannedResult result = other.results[index];
  result.leaf = stepFor(result.leaf);
  result.key.pipeline = name.str();
  result.expectedFailures.clear();
  size_t added = plan.results.size();
  plan.results.push_back(std::move(result));
  addComparisons(index, added);
  return added;
}

std::vector<size_t>
lh::joinPlan(Plan &plan, StepTree &tree, const Plan &other, StringRef name,
             llvm::function_ref<bool(const PlannedResult &)> takes) {
  Joiner joiner(plan, tree, other);
  std::vector<size_t> added;
  for (size_t i = 0; i < other.results.size(); ++i)
    if (takes(other.results[i]))
      added.push_back(joiner.addResult(i, name));
  return added;
}
