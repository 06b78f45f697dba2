// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans that grow, and parts of them that run.
#include "core/plan/SubPlan.h"

#include <catch2/catch.hpp>

using namespace lh;

/// A root with two children.
static Plan branched() {
  Plan plan;
  plan.steps.resize(1);
  plan.roots = {0};
  appendStep(plan, 0, Step());
  appendStep(plan, 0, Step());
  plan.results.resize(1);
  return plan;
}

TEST_CASE("a part keeps ids and has only what leads to its leaves",
          "[sub-plan]") {
  Plan plan = branched();
  StepId deep = appendStep(plan, appendStep(plan, 1, Step()), Step());
  CHECK(deep == 4);
  CHECK(plan.pathTo(deep) == std::vector<StepId>{0, 1, 3, 4});
  Plan part = restrictedTo(plan, deep);
  CHECK(part.steps.size() == plan.steps.size());
  CHECK(part.roots == std::vector<StepId>{0});
  CHECK(part.steps[0].children == std::vector<StepId>{1});
  CHECK(part.steps[1].children == std::vector<StepId>{3});
  CHECK(part.results.empty());
  CHECK(restrictedTo(plan, {}).roots.empty());
}

TEST_CASE("outcomes of a part don't undo what is known", "[sub-plan]") {
  std::vector<StepOutcome> known(2), ran(3);
  for (size_t i = 0; i < ran.size(); ++i)
    ran[i].step = i;
  known[0].status = StepStatus::Passed;
  known[1].status = StepStatus::Passed;
  ran[1].status = StepStatus::Failed;
  ran[2].status = StepStatus::Passed;
  mergeOutcomes(known, ran);
  CHECK(known[0].status == StepStatus::Passed);
  CHECK(known[1].status == StepStatus::Failed);
  CHECK(known[2].status == StepStatus::Passed);
}
