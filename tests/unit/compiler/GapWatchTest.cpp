// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which gaps steps use, and steps that leave some out.
#include "IrTest.h"

#include "compiler/gaps/Gaps.h"
#include "compiler/session/PassPipeline.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

using namespace lh;

using Names = std::vector<std::string>;

static ModuleRunnerOptions watching() {
  ModuleRunnerOptions options;
  options.watchesGaps = true;
  return options;
}

static constexpr StringRef watchedProduct = R"(
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>,
                %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>)
    outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
})";

/// Marks products that have `choice`, within a pass of the schedule.
static constexpr StringRef marking = R"(
transform.named_sequence @is(%op: !transform.any_op {transform.readonly})
    -> !transform.any_op {
  %sizes:4 = transform.lh.match.product %op loops ["mnk"] : !transform.any_op
  transform.yield %op : !transform.any_op
}
transform.named_sequence @e(%r: !transform.any_op) {
  %wide = transform.apply_registered_pass "lh-widen" to %r
    : (!transform.any_op) -> !transform.any_op
  %it = transform.collect_matching @is in %wide
    : (!transform.any_op) -> !transform.any_op
  transform.annotate %it "found" : !transform.any_op
  transform.yield
})";

static StepOutcome runWithout(IrWorkbench &bench, Step step, Names gaps) {
  step.leavesOut = std::move(gaps);
  CollectingSink sink;
  REQUIRE(succeeded(bench.runner.prepare(step, sink)));
  return bench.runner.run(step);
}

TEST_CASE("passes that changed the module are seen, also inside schedules",
          "[gaps]") {
  IrWorkbench bench(watching());
  REQUIRE(bench.import(watchedProduct).status == StepStatus::Passed);
  CHECK(bench.passes("lh-split-empties,canonicalize").gaps.empty());
  StepOutcome outcome = bench.schedule(marking, "e");
  REQUIRE(outcome.status == StepStatus::Passed);
  CHECK(outcome.gaps == Names{"lh-widen", "transform.lh.match.product"});
  CHECK_THAT(bench.text(), Catch::Contains("found"));
  CHECK_THAT(bench.text(), Catch::Contains("f64"));
}

TEST_CASE("who isn't asked watches nothing", "[gaps]") {
  IrWorkbench bench;
  REQUIRE(bench.import(watchedProduct).status == StepStatus::Passed);
  CHECK(bench.schedule(marking, "e").gaps.empty());
}

TEST_CASE("a pass that is left out does nothing, the others do", "[gaps]") {
  IrWorkbench bench(watching());
  REQUIRE(bench.import(watchedProduct).status == StepStatus::Passed);
  StepOutcome outcome = runWithout(
      bench, IrWorkbench::passesStep("lh-widen,linalg-generalize-named-ops"),
      {"lh-widen"});
  CHECK(outcome.status == StepStatus::Passed);
  CHECK(outcome.gaps.empty());
  CHECK_THAT(bench.text(), !Catch::Contains("f64"));
  CHECK_THAT(bench.text(), Catch::Contains("linalg.generic"));
}

TEST_CASE("a pass inside a schedule is left out too", "[gaps]") {
  IrWorkbench bench(watching());
  REQUIRE(bench.import(watchedProduct).status == StepStatus::Passed);
  StepOutcome outcome = runWithout(
      bench, bench.scheduleStep(scheduleModule(marking), "e"), {"lh-widen"});
  CHECK(outcome.gaps == Names{"transform.lh.match.product"});
  CHECK_THAT(bench.text(), !Catch::Contains("f64"));
  CHECK_THAT(bench.text(), Catch::Contains("found"));
}

TEST_CASE("a matcher that is left out matches nothing", "[gaps]") {
  IrWorkbench bench(watching());
  REQUIRE(bench.import(watchedProduct).status == StepStatus::Passed);
  StepOutcome outcome =
      runWithout(bench, bench.scheduleStep(scheduleModule(marking), "e"),
                 {"transform.lh.match.product"});
  CHECK(outcome.status == StepStatus::Passed);
  CHECK(outcome.gaps == Names{"lh-widen"});
  CHECK_THAT(bench.text(), !Catch::Contains("found"));
  // Only in that step.
  bench.schedule(marking, "e");
  CHECK_THAT(bench.text(), Catch::Contains("found"));
}

/// A negation, and a pointwise user of it.
static constexpr StringRef watchedChain = R"(
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = linalg.negf ins(%a : tensor<8x4xf32>) outs(%b : tensor<8x4xf32>)
      -> tensor<8x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x4xf32>) outs(%b : tensor<8x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.negf %x : f32
    linalg.yield %z : f32
  } -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
})";

static constexpr StringRef usingAll = R"(
transform.named_sequence @chosen(%op: !transform.any_op {transform.readonly})
    -> !transform.any_op {
  %choice = transform.lh.match.choice %op ["tile"]
      : (!transform.any_op) -> !transform.any_param
  transform.yield %op : !transform.any_op
}
transform.named_sequence @consumed(%op: !transform.any_op {transform.readonly})
    -> !transform.any_op {
  %user = transform.lh.match.identity_consumer %op
      : (!transform.any_op) -> !transform.any_op
  transform.yield %op : !transform.any_op
}
transform.named_sequence @e(%r: !transform.any_op) {
  %negation = transform.structured.match ops{["linalg.negf"]} in %r
      : (!transform.any_op) -> !transform.any_op
  %user = transform.structured.match ops{["linalg.generic"]} in %r
      : (!transform.any_op) -> !transform.any_op
  %chosen = transform.collect_matching @chosen in %r
      : (!transform.any_op) -> !transform.any_op
  transform.annotate %chosen "chosen" : !transform.any_op
  %consumers = transform.collect_matching @consumed in %r
      : (!transform.any_op) -> !transform.any_op
  transform.annotate %consumers "consumer" : !transform.any_op
  %tile, %loop = transform.structured.tile_using_for %user tile_sizes [2]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %fused = transform.lh.fuse_into %negation into %loop
      : (!transform.any_op, !transform.any_op) -> !transform.any_op
  transform.annotate %fused "fused" : !transform.any_op
  transform.lh.vectorize_lanes %tile : !transform.any_op
  transform.yield
})";

TEST_CASE("each operation can be left out by itself", "[gaps]") {
  const std::pair<std::string, std::string> effects[] = {
      {"transform.lh.match.choice", "chosen"},
      {"transform.lh.match.identity_consumer", "consumer"},
      {"transform.lh.fuse_into", "fused"},
      {"transform.lh.vectorize_lanes", "vector.transfer_write"}};
  for (const auto &[left, gone] : effects) {
    IrWorkbench bench(watching());
    REQUIRE(bench.import(watchedChain).status == StepStatus::Passed);
    REQUIRE(bench.choose("tile").status == StepStatus::Passed);
    StepOutcome outcome = runWithout(
        bench, bench.scheduleStep(scheduleModule(usingAll), "e"), {left});
    INFO(left << "\n" << bench.text());
    CHECK(outcome.reason.empty());
    CHECK(outcome.gaps.size() == 3);
    CHECK_FALSE(llvm::is_contained(outcome.gaps, left));
    for (const auto &[name, effect] : effects)
      CHECK((countOf(bench.text(), effect) > 0) == (name != left));
  }
}

TEST_CASE("every gap pass is of a topic", "[gaps]") {
  MlirSession session;
  size_t count = 0;
  for (StringRef name : registeredPassNames()) {
    if (!isGapPass(name))
      continue;
    ++count;
    INFO(name.str());
    CHECK_FALSE(topicOfGap(name).empty());
  }
  CHECK(count >= 20);
  CHECK(topicOfGap("lh-split-empties") == "upstream-fixes");
  CHECK(topicOfGap("transform.lh.fuse_into") == "transform");
  CHECK(topicOfGap("cse").empty());
}
