// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which runs count.
#include "core/plan/FirstRuns.h"
#include "core/plan/SubPlan.h"

#include <catch2/catch.hpp>

using namespace lh;

static StepId add(Plan &plan, StepAction action, std::optional<StepId> parent) {
  Step step;
  step.action = std::move(action);
  return appendStep(plan, parent, std::move(step));
}

TEST_CASE("the first tested run of each code counts", "[plan]") {
  Plan plan;
  StepId root = add(plan, PassesAction{}, std::nullopt);
  StepId tested = add(plan, CompileAction{}, root);
  StepId first = add(plan, RunAction{}, tested);
  StepId second = add(plan, RunAction{}, tested);
  StepId reference = add(plan, CompileAction{}, root);
  StepId referenceRun = add(plan, RunAction{}, reference);
  StepId emitted = add(plan, EmitAction{}, root);
  for (StepId leaf : {first, second, emitted})
    plan.results.emplace_back().leaf = leaf;
  plan.results.emplace_back().notApplicable = "here";
  countArithmetic(plan);
  auto counts = [&](StepId run) {
    return std::get<RunAction>(plan.steps[run].action).countsArithmetic;
  };
  CHECK(counts(first));
  CHECK_FALSE(counts(second));
  CHECK_FALSE(counts(referenceRun));
  auto builds = [&](StepId compiled) {
    return std::get<CompileAction>(plan.steps[compiled].action)
        .countsArithmetic;
  };
  CHECK(builds(tested));
  CHECK_FALSE(builds(reference));
  CHECK(countingRunOf(plan, first) == first);
  CHECK(countingRunOf(plan, second) == first);
  CHECK_FALSE(countingRunOf(plan, referenceRun));
  CHECK_FALSE(countingRunOf(plan, emitted));
}
