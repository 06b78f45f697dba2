// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grows a plan by paths that leave gaps out.
#include "core/plan/LeaveOut.h"

#include "core/plan/SubPlan.h"

using namespace lh;

static bool worksOnModule(const Step &step) {
  return std::holds_alternative<PassesAction>(step.action) ||
         std::holds_alternative<ScheduleAction>(step.action);
}

static Step copyWithout(const Step &step, ArrayRef<std::string> gaps) {
  Step copy = step;
  copy.requires_.reset();
  copy.ensures.reset();
  copy.preserves.clear();
  copy.expect.clear();
  copy.expectMatched.clear();
  if (!worksOnModule(step))
    return copy;
  copy.leavesOut.assign(gaps.begin(), gaps.end());
  copy.optional = "gaps are left out";
  return copy;
}

static void copyComparisons(Plan &plan, size_t original, size_t copy) {
  for (size_t i = 0, count = plan.comparisons.size(); i < count; ++i) {
    if (plan.comparisons[i].result != original)
      continue;
    PlannedComparison comparison = plan.comparisons[i];
    comparison.result = copy;
    plan.comparisons.push_back(std::move(comparison));
  }
}

std::vector<size_t> lh::addWithout(Plan &plan, ArrayRef<size_t> originals,
                                   StringRef name, ArrayRef<std::string> gaps,
                                   llvm::function_ref<bool(StepId)> uses) {
  std::map<StepId, StepId> copies; ///< by original
  std::vector<size_t> added;
  for (size_t original : originals) {
    PlannedResult result = plan.results[original];
    std::optional<StepId> last;
    bool differs = false;
    for (StepId step : plan.pathTo(result.leaf)) {
      differs |= uses(step);
      auto [copy, isNew] = copies.try_emplace(step, step);
      if (differs && isNew)
        copy->second =
            std::holds_alternative<EmitAction>(plan.steps[step].action)
                ? *last
                : appendStep(plan, last, copyWithout(plan.steps[step], gaps));
      last = copy->second;
    }
    result.leaf = *last;
    result.key.pipeline = name.str();
    result.expectedFailures.clear();
    added.push_back(plan.results.size());
    plan.results.push_back(std::move(result));
    copyComparisons(plan, original, added.back());
  }
  return added;
}
