// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan's order decides, not the processes' that do the runs.
#include "core/plan/FirstRuns.h"

#include <set>

using namespace lh;

bool lh::isAlwaysApplicable(const DataSet &data) {
  return !data.generate || (data.set == InputSet::Drawn && data.draw == 0);
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
