// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans that grow by paths without gaps.
#include "core/plan/LeaveOut.h"

#include "core/plan/CanonicalText.h"
#include "core/plan/SubPlan.h"

#include <catch2/catch.hpp>

using namespace lh;

static StepId add(Plan &plan, std::optional<StepId> parent, StepAction action) {
  Step step;
  step.action = std::move(action);
  step.ensures.emplace();
  step.preserves = {"types"};
  step.expect.push_back({});
  return appendStep(plan, parent, std::move(step));
}

/// import -> tidy -> lower -> emit -> compile, and two runs of that.
static Plan twoRuns() {
  Plan plan;
  StepId last = add(plan, std::nullopt, ImportAction());
  last = add(plan, last, PassesAction{"cse", {}});
  last = add(plan, last, PassesAction{"lh-a,lh-b", {}});
  last = add(plan, last, EmitAction());
  last = add(plan, last, CompileAction());
  for (unsigned draw : {0U, 1U}) {
    PlannedResult result;
    result.key.pipeline = "full";
    result.expectedFailures.push_back({});
    RunAction run;
    run.data.draw = draw;
    result.leaf = add(plan, last, run);
    plan.comparisons.push_back({});
    plan.comparisons.back().result = plan.results.size();
    plan.comparisons.back().referenceLeaf = 0;
    plan.results.push_back(std::move(result));
  }
  return plan;
}

TEST_CASE("a path without a gap parts where the gap is used first",
          "[leave-out]") {
  Plan plan = twoRuns();
  std::vector<size_t> added = addWithout(plan, {0, 1}, "less", {"lh-a"},
                                         [](StepId step) { return step == 2; });
  REQUIRE(added == std::vector<size_t>{2, 3});
  std::vector<StepId> first = plan.pathTo(plan.results[2].leaf),
                      second = plan.pathTo(plan.results[3].leaf);
  CHECK(first.size() == 5); // what was emitted stays
  CHECK(first[1] == 1);
  CHECK(first[2] == 7);
  first.back() = second.back();
  CHECK(first == second);
  const Step &lower = plan.steps[7];
  CHECK(lower.leavesOut == std::vector<std::string>{"lh-a"});
  CHECK(canonicalText(lower) != canonicalText(plan.steps[2]));
  CHECK_FALSE(lower.ensures);
  CHECK(lower.preserves.empty());
  CHECK(lower.expect.empty());
  CHECK_FALSE(lower.optional.empty());
  CHECK(plan.steps[8].leavesOut.empty());
  CHECK(plan.results[3].key.pipeline == "less");
  CHECK(plan.results[3].expectedFailures.empty());
  CHECK(plan.steps[2].leavesOut.empty());
}

TEST_CASE("a path without a gap is judged as the full one", "[leave-out]") {
  Plan plan = twoRuns();
  addWithout(plan, {1}, "less", {"lh-a"}, [](StepId) { return true; });
  REQUIRE(plan.comparisons.size() == 3);
  CHECK(plan.comparisons.back().result == 2);
  CHECK(plan.comparisons.back().referenceLeaf == StepId(0));
  CHECK(plan.pathTo(plan.results[2].leaf).front() != 0);
}
