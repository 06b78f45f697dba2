// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans share what is equal, and say what can't run.
#include "PlanFixture.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {

struct PlannedManifestText {
  PlannedManifestText() { machine.addGolden("digits"); }
  Machine machine;
  ResolvedGraph graph = makeGraph();
};

} // namespace

TEST_CASE_METHOD(PlannedManifestText, "pipelines share their common prefix",
                 "[plan]") {
  Planned planned = planFor(graph, machine);
  REQUIRE(succeeded(planned.plan));
  const Plan &plan = *planned.plan;
  CHECK(plan.roots.size() == 1);
  CHECK(countSteps(plan, "import") == 1);
  CHECK(countSteps(plan, "fuse") == 1);
  CHECK(countSteps(plan, "run") == 4); // compile and run, twice
  REQUIRE(plan.results.size() == 2);
  CHECK(plan.pathTo(plan.results[0].leaf).size() == 5);
  CHECK(plan.results[1].key.pipeline == "plain");
  CHECK(plan.comparisons.size() == 2);
  const auto &import = std::get<ImportAction>(plan.steps[0].action);
  CHECK(import.path == "/golden/digits/model.onnx");
}

TEST_CASE_METHOD(PlannedManifestText, "bubbles of equal action are one step",
                 "[plan]") {
  addPasses(graph, "twin", literal("a"));
  graph.pipelines.push_back({"other", {}, "", {0, 1, 5, 3}});
  Planned planned = planFor(graph, machine);
  REQUIRE(succeeded(planned.plan));
  CHECK(countSteps(*planned.plan, "twin") == 0);
  CHECK(planned.plan->results[0].leaf == planned.plan->results[2].leaf);
}

TEST_CASE_METHOD(PlannedManifestText,
                 "bubbles with other numerics are the same step", "[plan]") {
  graph.bubbles[1].numerics.ulp = {2, {}};
  addPasses(graph, "twin", literal("a"));
  graph.bubbles.back().numerics.ulp = {8, {}};
  graph.pipelines.push_back({"other", {}, "", {0, 1, 5, 3}});
  Planned planned = planFor(graph, machine);
  REQUIRE(succeeded(planned.plan));
  CHECK(countSteps(*planned.plan, "twin") == 0);
  const Step &fuse = planned.plan->steps[1];
  CHECK(fuse.bubble == "fuse");
}

TEST_CASE_METHOD(PlannedManifestText,
                 "bubbles with other expectations are other steps", "[plan]") {
  graph.bubbles[1].expect = {{literal("a.check"), "CHECK", {}}};
  addPasses(graph, "twin", literal("a"));
  graph.bubbles.back().expect = {{literal("a.check"), "OTHER", {}}};
  graph.pipelines.push_back({"other", {}, "", {0, 1, 5, 3}});
  Planned planned = planFor(graph, machine);
  REQUIRE(succeeded(planned.plan));
  CHECK(countSteps(*planned.plan, "twin") == 1);
  const Step &fuse = planned.plan->steps[1];
  REQUIRE(fuse.expect.size() == 1);
  CHECK(fuse.expect[0].prefix == "CHECK");
  CHECK(StringRef(fuse.expect[0].file).ends_with("a.check"));
}

TEST_CASE_METHOD(PlannedManifestText,
                 "bubbles with other contracts are other steps", "[plan]") {
  addPasses(graph, "twin", literal("a"));
  graph.bubbles.back().ensures.emplace().opsNone = {"linalg.matmul"};
  graph.pipelines.push_back({"other", {}, "", {0, 1, 5, 3}});
  Planned planned = planFor(graph, machine);
  REQUIRE(succeeded(planned.plan));
  CHECK(countSteps(*planned.plan, "twin") == 1);
}

TEST_CASE_METHOD(PlannedManifestText,
                 "targets share up to the first target fact", "[plan]") {
  addTarget(graph, "small", 128);
  graph.bubbles[2].action =
      PassesDecl{reference(Reference::Scope::Target, "vector_bits")};
  Selection selection;
  selection.targets = {"*"};
  selection.pipelines = {"fast"};
  Planned planned = planFor(graph, machine, selection);
  REQUIRE(succeeded(planned.plan));
  CHECK(planned.plan->results.size() == 2);
  CHECK(countSteps(*planned.plan, "fuse") == 1);
  CHECK(countSteps(*planned.plan, "lower") == 2);
}

TEST_CASE_METHOD(PlannedManifestText,
                 "the default target is the first that runs natively",
                 "[plan]") {
  graph.targets.clear();
  addTarget(graph, "far-away", 128);
  addTarget(graph, "emulated", 128);
  graph.targets.back().run.nativeOn = "aarch64";
  addTarget(graph, "near", 512);
  Planned planned = planFor(graph, machine);
  REQUIRE(succeeded(planned.plan));
  CHECK(planned.plan->results[0].key.target == "near");
  graph.targets.pop_back();
  CHECK(planFor(graph, machine).plan->results[0].key.target == "emulated");
}

TEST_CASE_METHOD(PlannedManifestText,
                 "a target that can't run is skipped with its reason",
                 "[plan]") {
  addTarget(graph, "far-away", 128);
  Selection selection;
  selection.targets = {"far-away"};
  Planned planned = planFor(graph, machine, selection);
  REQUIRE(succeeded(planned.plan));
  CHECK(planned.plan->steps.empty());
  REQUIRE(planned.plan->results.size() == 2);
  CHECK(planned.plan->results[0].skipped == "too far");
}

TEST_CASE_METHOD(PlannedManifestText,
                 "a path whose 'when' is false is not applicable", "[plan]") {
  FactCondition condition;
  condition.name = named("vector_bits");
  condition.maximum = 256;
  graph.bubbles[2].when = {condition};
  Planned planned = planFor(graph, machine);
  REQUIRE(succeeded(planned.plan));
  CHECK_THAT(planned.plan->results[0].notApplicable,
             Catch::Contains("'lower'"));
  CHECK(planned.plan->results[1].notApplicable.empty());
}

TEST_CASE_METHOD(PlannedManifestText, "a sweep multiplies runs, not compiles",
                 "[plan]") {
  graph.targets[0].run.sweep["threads"] = {Value(int64_t{1}),
                                           Value(int64_t{2})};
  graph.targets[0].run.sweep["vl_bytes"] = {Value(int64_t{16}),
                                            Value(int64_t{32})};
  graph.targets[0].run.emulator = {
      reference(Reference::Scope::Sweep, "vl_bytes")};
  Selection selection;
  selection.pipelines = {"fast"};
  Planned planned = planFor(graph, machine, selection);
  REQUIRE(succeeded(planned.plan));
  // Natively there is no emulator, and its vector lengths fall away.
  REQUIRE(planned.plan->results.size() == 2);
  CHECK(planned.plan->results[1].key.sweep == "threads=2");
  CHECK(countSteps(*planned.plan, "run") == 3);
  graph.targets[0].run.nativeOn = "aarch64";
  CHECK(planFor(graph, machine, selection).plan->results.size() == 4);
}

TEST_CASE_METHOD(PlannedManifestText, "an emulator is not timed", "[plan]") {
  auto repeats = [&] {
    unsigned most = 0;
    Planned planned = planFor(graph, machine);
    REQUIRE(succeeded(planned.plan));
    for (const Step &step : planned.plan->steps)
      if (const auto *run = std::get_if<RunAction>(&step.action))
        most = std::max(most, run->repeat);
    return most;
  };
  for (ResolvedBubble &bubble : graph.bubbles)
    if (auto *execute = std::get_if<ExecuteDecl>(&bubble.action))
      execute->repeat = 3;
  CHECK(repeats() == 3);
  graph.targets[0].run.nativeOn = "aarch64";
  CHECK(repeats() == 0);
}

TEST_CASE_METHOD(PlannedManifestText,
                 "a simulated device repeats on every data set", "[plan]") {
  machine.facts.deviceLabel = [](const TargetSpec &) { return "simulated"; };
  for (ResolvedBubble &bubble : graph.bubbles)
    if (auto *execute = std::get_if<ExecuteDecl>(&bubble.action))
      execute->repeat = 3;
  Planned planned = planFor(graph, machine);
  REQUIRE(succeeded(planned.plan));
  for (const Step &step : planned.plan->steps)
    if (const auto *run = std::get_if<RunAction>(&step.action))
      CHECK(run->repeat == 3);
}

TEST_CASE_METHOD(PlannedManifestText,
                 "the oracle starts at the import and runs once", "[plan]") {
  graph.verify->against.push_back(named("oracle"));
  Planned planned = planFor(graph, machine);
  REQUIRE(succeeded(planned.plan));
  const Plan &plan = *planned.plan;
  CHECK(countSteps(plan, "oracle/run") == 1);
  CHECK(countSteps(plan, "oracle/plain-run") == 1);
  CHECK(plan.comparisons.size() == 4);
  CHECK(plan.comparisons[1].against == "oracle");
  std::vector<StepId> path = plan.pathTo(*plan.comparisons[1].referenceLeaf);
  REQUIRE(path.size() == 4);
  CHECK(plan.steps[path[0]].bubble == "import");
  CHECK_THAT(std::get<PassesAction>(plan.steps[path[1]].action).pipeline,
             Catch::Contains("lh-error-bounds, lh-widen"));
  CHECK(plan.comparisons[1].mode == OracleMode::Auto);
  CHECK(plan.comparisons[1].plainLeaf);
}

TEST_CASE_METHOD(PlannedManifestText,
                 "a reference pipeline runs though not selected", "[plan]") {
  graph.verify->against = {named("plain")};
  Selection selection;
  selection.pipelines = {"fast"};
  Planned planned = planFor(graph, machine, selection);
  REQUIRE(succeeded(planned.plan));
  CHECK(planned.plan->results.size() == 1);
  REQUIRE(planned.plan->comparisons.size() == 1);
  CHECK(countSteps(*planned.plan, "loops") == 1);
}

TEST_CASE_METHOD(PlannedManifestText,
                 "facts of the target and proof widen the bounds", "[plan]") {
  graph.verify->against = {named("oracle")};
  graph.verify->mode = {OracleMode::Proof, {}};
  graph.targets[0].facts["flush_to_zero"] = {Value(true), {}};
  graph.targets[0].facts["contraction_operands"] = {Value(std::string("tf32")),
                                                    {}};
  Plan plan = *planFor(graph, machine).plan;
  StepId lower = plan.pathTo(*plan.comparisons[0].referenceLeaf)[1];
  CHECK_THAT(std::get<PassesAction>(plan.steps[lower].action).pipeline,
             Catch::Contains("lh-error-bounds{operands=tf32 "
                             "flush-to-zero=true proof=true}"));
  CHECK_FALSE(plan.comparisons[0].plainLeaf);
  CHECK_FALSE(plan.comparisons[0].numerics.flushesFactors);
  graph.targets[0].facts["contraction_flush_to_zero"] = {Value(true), {}};
  plan = *planFor(graph, machine).plan;
  REQUIRE(plan.comparisons[0].numerics.flushesFactors);
  CHECK(plan.comparisons[0].numerics.flushesFactors->value);
}

TEST_CASE_METHOD(PlannedManifestText,
                 "only the modes that need them derive bounds or "
                 "run the plain lowering",
                 "[plan]") {
  graph.verify->against = {named("oracle")};
  auto lowered = [&](OracleMode mode) {
    graph.verify->mode = {mode, {}};
    return *planFor(graph, machine).plan;
  };
  CHECK(countSteps(lowered(OracleMode::Bound), "oracle/plain-run") == 0);
  CHECK(countSteps(lowered(OracleMode::Ratio), "oracle/plain-run") == 1);
  for (OracleMode mode : {OracleMode::Exact, OracleMode::Ratio}) {
    Plan plan = lowered(mode);
    StepId lower = plan.pathTo(*plan.comparisons[0].referenceLeaf)[1];
    CHECK_THAT(std::get<PassesAction>(plan.steps[lower].action).pipeline,
               Catch::Contains("lh-expose-scores, lh-widen"));
  }
}

TEST_CASE_METHOD(PlannedManifestText,
                 "--until cuts the paths and writes the module", "[plan]") {
  Selection selection;
  selection.until = "fuse";
  selection.untilPath = "/out.mlir";
  Planned planned = planFor(graph, machine, selection);
  REQUIRE(succeeded(planned.plan));
  // Both pipelines come to the same module, which is written once.
  CHECK(planned.plan->steps.size() == 3);
  CHECK(std::get<EmitAction>(planned.plan->steps[2].action).path ==
        "/out.mlir");
  CHECK(planned.plan->comparisons.empty());
}

TEST_CASE_METHOD(PlannedManifestText, "two modules for one file are refused",
                 "[plan]") {
  // plan-output-twice
  addPasses(graph, "more", literal("c"));
  graph.pipelines[0].path = {0, 2, 1, 3};
  Selection selection;
  selection.until = "fuse";
  selection.untilPath = "/out.mlir";
  CHECK(
      planFor(graph, machine, selection).failedWith(DiagKind::PlanOutputTwice));
}

TEST_CASE_METHOD(PlannedManifestText, "--until names a bubble that no path has",
                 "[plan]") {
  // plan-unknown-bubble
  Selection selection;
  selection.until = "fuze";
  Planned planned = planFor(graph, machine, selection);
  CHECK(planned.failedWith(DiagKind::PlanUnknownBubble));
  CHECK_THAT(planned.diagnostics[0].message, Catch::Contains("'fuse'"));
}

TEST_CASE_METHOD(PlannedManifestText,
                 "names that fit nothing are reported together", "[plan]") {
  // plan-unknown-target, plan-unknown-pipeline, plan-unknown-case
  Selection selection;
  selection.targets = {"hots"};
  selection.pipelines = {"fats"};
  selection.cases = {"digit"};
  Planned planned = planFor(graph, machine, selection);
  CHECK(failed(planned.plan));
  REQUIRE(planned.diagnostics.size() == 3);
  CHECK(planned.diagnostics[0].kind == DiagKind::PlanUnknownTarget);
  CHECK(planned.diagnostics[1].kind == DiagKind::PlanUnknownPipeline);
  CHECK(planned.diagnostics[2].kind == DiagKind::PlanUnknownCase);
  CHECK_THAT(planned.diagnostics[2].message,
             Catch::Contains("did you mean 'digits'"));
}

TEST_CASE_METHOD(PlannedManifestText,
                 "a graph without targets is for this machine", "[plan]") {
  graph.targets.clear();
  Planned planned = planFor(graph, machine);
  REQUIRE(succeeded(planned.plan));
  CHECK(planned.plan->results[0].key.target == "host");
}

TEST_CASE_METHOD(PlannedManifestText,
                 "a path that only emits needs no target to run", "[plan]") {
  graph.targets.clear();
  addTarget(graph, "far-away", 128);
  graph.bubbles[3].action = EmitDecl{EmitFormat::Assembly, literal("a.s")};
  graph.pipelines.pop_back();
  Planned planned = planFor(graph, machine);
  REQUIRE(succeeded(planned.plan));
  CHECK(planned.plan->results[0].skipped.empty());
  CHECK(std::get<EmitAction>(planned.plan->steps.back().action).target->name ==
        "far-away");
}

TEST_CASE("data that a declared algorithm rounds is not applicable", "[plan]") {
  Machine machine;
  machine.addFile("/m.mlir");
  ResolvedGraph graph = makeGraph();
  GenerateCase generate;
  generate.model = literal("/m.mlir");
  generate.sets = {InputSet::Drawn, InputSet::Exact, InputSet::Ordered,
                   InputSet::Specials};
  graph.cases[0].source = generate;
  auto statuses = [&](NumericsDecl numerics) {
    graph.bubbles[1].numerics = numerics;
    Selection selection;
    selection.pipelines = {"fast"};
    Planned planned = planFor(graph, machine, selection);
    REQUIRE(succeeded(planned.plan));
    std::string runs;
    for (const PlannedResult &result : planned.plan->results)
      runs += result.notApplicable.empty() ? 'r' : '-';
    // What doesn't run has no steps either.
    CHECK(countSteps(*planned.plan, "run") ==
          1 + static_cast<size_t>(llvm::count(runs, 'r')));
    return runs;
  };
  NumericsDecl reassociated, winograd, rounded;
  reassociated.reassociate = Located<bool>{true, {}};
  winograd.winograd = Located<WinogradDecl>{{4, 3}, {}};
  rounded.operands = Located<std::string>{"bfloat16", {}};
  CHECK(statuses({}) == "rrrr");
  CHECK(statuses(reassociated) == "rr-r");
  CHECK(statuses(winograd) == "r---");
  CHECK(statuses(rounded) == "r---");
}

TEST_CASE("what the machine can run is asked once for each target", "[plan]") {
  Machine machine;
  machine.addGolden("digits");
  auto asked = std::make_shared<std::map<std::string, int>>();
  machine.facts.whyNot = [asked](const TargetSpec &target) {
    ++(*asked)[target.name];
    return std::string();
  };
  ResolvedGraph graph = makeGraph();
  addTarget(graph, "other", 128);
  Selection selection;
  selection.targets = {"*"};
  Planned planned = planFor(graph, machine, selection);
  REQUIRE(succeeded(planned.plan));
  CHECK(planned.plan->results.size() == 4);
  for (const auto &[name, times] : *asked)
    CHECK(times == 1);
}

TEST_CASE("a case that fails leaves the steps of its pipelines", "[plan]") {
  Machine machine;
  CollectingSink sink;
  PlanParts parts = planParts(makeGraph(), {}, {}, machine.facts, sink);
  CHECK_FALSE(parts.isComplete);
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(sink.diagnostics()[0].kind == DiagKind::PlanBadCase);
  CHECK(countSteps(parts.plan, "fuse") == 1);
  CHECK(countSteps(parts.plan, "lower") == 1);
}

TEST_CASE("what a graph lacks is not missed", "[plan]") {
  Machine machine;
  machine.addGolden("digits");
  Selection selection;
  selection.targets = {"gone"};
  selection.pipelines = {"broken"};
  selection.cases = {"lost"};
  MissingParts missing{true, true, true, true};
  CollectingSink sink;
  PlanParts parts =
      planParts(makeGraph(), missing, selection, machine.facts, sink);
  CHECK_FALSE(parts.isComplete);
  CHECK(sink.diagnostics().empty());
  CHECK(countSteps(parts.plan, "lower") == 1);
  CHECK(failed(planFor(makeGraph(), machine, selection).plan));
}
