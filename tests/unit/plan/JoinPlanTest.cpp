// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans that grow by the paths of others.
#include "core/plan/JoinPlan.h"

#include "core/plan/SubPlan.h"

#include <catch2/catch.hpp>

using namespace lh;

static StepId addTo(Plan &plan, std::optional<StepId> parent,
                    StepAction action) {
  Step step;
  step.action = std::move(action);
  return appendStep(plan, parent, std::move(step));
}

/// import -> passes -> run, compared with import -> oracle -> run, drawn twice.
static Plan planWith(const std::string &passes) {
  Plan plan;
  StepId import = addTo(plan, std::nullopt, ImportAction());
  StepId tested = addTo(plan, import, PassesAction{passes, {}});
  StepId oracle = addTo(plan, import, PassesAction{"oracle", {}});
  for (unsigned draw : {0U, 1U}) {
    RunAction run;
    run.entry = "main";
    run.data.generate.emplace();
    run.data.draw = draw;
    PlannedResult &result = plan.results.emplace_back();
    result.key.pipeline = "full";
    result.leaf = addTo(plan, tested, run);
    result.isFurtherDraw = draw > 0;
    result.expectedFailures.emplace_back();
    PlannedComparison &comparison = plan.comparisons.emplace_back();
    comparison.result = plan.results.size() - 1;
    comparison.referenceLeaf = addTo(plan, oracle, run);
  }
  return plan;
}

TEST_CASE("a joined plan shares what is equal", "[join-plan]") {
  Plan plan = planWith("cse");
  size_t steps = plan.steps.size();
  StepTree tree(plan);
  std::vector<size_t> added =
      joinPlan(plan, tree, planWith("canonicalize"), "trial 1",
               [](const PlannedResult &) { return true; });
  REQUIRE(added == std::vector<size_t>{2, 3});
  // The import and the oracle's steps are there.
  CHECK(plan.steps.size() == steps + 3);
  CHECK(plan.pathTo(plan.results[2].leaf).front() == 0);
  CHECK(plan.results[2].key.pipeline == "trial 1");
  CHECK(plan.results[2].expectedFailures.empty());
  REQUIRE(plan.comparisons.size() == 4);
  CHECK(plan.comparisons[2].result == 2);
  CHECK(plan.comparisons[2].referenceLeaf == plan.comparisons[0].referenceLeaf);
  CHECK(plan.comparisons[3].referenceLeaf == plan.comparisons[1].referenceLeaf);
}

TEST_CASE("of a joined plan only the results that are asked for come",
          "[join-plan]") {
  Plan plan = planWith("cse");
  StepTree tree(plan);
  auto first = [](const PlannedResult &result) {
    return !result.isFurtherDraw;
  };
  CHECK(joinPlan(plan, tree, planWith("canonicalize"), "a", first).size() == 1);
  size_t steps = plan.steps.size();
  // What came once is shared by the next.
  CHECK(joinPlan(plan, tree, planWith("canonicalize"), "b", first).size() == 1);
  CHECK(plan.steps.size() == steps);
  CHECK(plan.results[2].leaf == plan.results[3].leaf);
}
