// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan that begins after a bubble has what it needs, and no more.
#include "core/plan/Resume.h"
#include "PlanFixture.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {

struct ResumedPlan {
  ResumedPlan() { machine.addGolden("digits"); }
  FailureOr<Plan> resume(StringRef bubble, bool hasFile = true) {
    Planned planned = planFor(graph, machine);
    REQUIRE(succeeded(planned.plan));
    auto find = [&](StepId step) -> FailureOr<std::string> {
      asked.push_back(planned.plan->steps[step].bubble);
      if (!hasFile)
        return sink.error(DiagKind::IrBadSnapshot, {}, "there is none");
      return "/kept/" + asked.back();
    };
    return resumeAfter(*planned.plan, bubble, find, sink);
  }
  Machine machine;
  ResolvedGraph graph = makeGraph();
  std::vector<std::string> asked;
  CollectingSink sink;
};

} // namespace

TEST_CASE_METHOD(ResumedPlan, "a shared prefix is imported once", "[plan]") {
  FailureOr<Plan> plan = resume("fuse");
  REQUIRE(succeeded(plan));
  CHECK(asked == std::vector<std::string>{"fuse"});
  CHECK(countSteps(*plan, "import") == 0);
  CHECK(countSteps(*plan, "lower") == 1);
  REQUIRE(plan->results.size() == 2);
  CHECK(plan->comparisons.size() == 2);
  const Step &first = plan->steps[plan->pathTo(plan->results[0].leaf)[0]];
  CHECK(std::get<ImportAction>(first.action).path == "/kept/fuse");
  CHECK(std::get<ImportAction>(first.action).kind == IngressKind::Mlir);
}

TEST_CASE_METHOD(ResumedPlan, "paths without the bubble are left out",
                 "[plan]") {
  FailureOr<Plan> plan = resume("loops");
  REQUIRE(succeeded(plan));
  REQUIRE(plan->results.size() == 1);
  CHECK(plan->results[0].key.pipeline == "plain");
  for (const PlannedComparison &comparison : plan->comparisons)
    CHECK(comparison.result == 0);
}

TEST_CASE_METHOD(ResumedPlan, "no snapshot, no plan", "[plan]") {
  CHECK(failed(resume("fuse", /*hasFile=*/false)));
  CHECK(sink.errorCount() == 1);
}

TEST_CASE_METHOD(ResumedPlan, "an unknown bubble names the nearest", "[plan]") {
  CHECK(failed(resume("fuze")));
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(sink.diagnostics()[0].kind == DiagKind::PlanUnknownBubble);
  CHECK_THAT(sink.diagnostics()[0].message,
             Catch::Contains("did you mean 'fuse'"));
}
