// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan's order decides which run is first, not the processes'.
#include "core/plan/FirstRuns.h"

#include <set>

using namespace lh;

bool lh::isAlwaysApplicable(const DataSet &data) {
  return !data.generate || data.isTheCases();
}

std::map<StepId, std::vector<StepId>> lh::findFirstRuns(ArrayRef<Step> steps) {
  std::map<StepId, std::vector<StepId>> runs;
  std::set<StepId> complete;
  for (const Step &step : steps) {
    const auto *run = std::get_if<RunAction>(&step.action);
    if (!run || !step.parent || complete.count(*step.parent))
      continue;
    runs[*step.parent].push_back(step.id);
    if (isAlwaysApplicable(run->data))
      complete.insert(*step.parent);
  }
  return runs;
}

static CompileAction *compileActionOf(Plan &plan, StepId run) {
  std::optional<StepId> parent = plan.steps[run].parent;
  auto *compiled = parent
                       ? std::get_if<CompileAction>(&plan.steps[*parent].action)
                       : nullptr;
  return compiled && !compiled->tool ? compiled : nullptr;
}

void lh::countArithmetic(Plan &plan) {
  for (const PlannedResult &result : plan.results) {
    if (!result.notApplicable.empty() || !result.skipped.empty())
      continue;
    auto *run = std::get_if<RunAction>(&plan.steps[result.leaf].action);
    CompileAction *compiled =
        run ? compileActionOf(plan, result.leaf) : nullptr;
    if (!compiled || compiled->countsArithmetic)
      continue;
    compiled->countsArithmetic = true;
    run->countsArithmetic = true;
  }
}

std::optional<StepId> lh::countingRunOf(const Plan &plan, StepId leaf) {
  std::optional<StepId> parent = plan.steps[leaf].parent;
  if (!parent)
    return std::nullopt;
  for (StepId sibling : plan.steps[*parent].children)
    if (const auto *run = std::get_if<RunAction>(&plan.steps[sibling].action);
        run && run->countsArithmetic)
      return sibling;
  return std::nullopt;
}
