// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which runs of a plan count what their code computes.
#include "core/plan/CountedRuns.h"

using namespace lh;

static CompileAction *compileActionOf(Plan &plan, StepId run) {
  std::optional<StepId> parent = plan.steps[run].parent;
  return parent ? std::get_if<CompileAction>(&plan.steps[*parent].action)
                : nullptr;
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
