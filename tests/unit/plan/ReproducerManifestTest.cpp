// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manifest of one bubble says all that its steps say.
#include "core/plan/ReproducerManifest.h"

#include <catch2/catch.hpp>

using namespace lh;
using Catch::Contains;

static Step stepOf(const std::string &bubble, StepAction action) {
  Step step;
  step.bubble = bubble;
  step.action = std::move(action);
  return step;
}

TEST_CASE("a pass string keeps its quotes, its contract and its name's parts",
          "[plan]") {
  Step step = stepOf("tile/outer", PassesAction{"a{b=\"c d\"}", {}});
  step.ensures.emplace();
  step.ensures->opsNone = {"linalg.matmul"};
  step.expectMatched.push_back({1, std::nullopt, {}});
  std::string text =
      reproducerManifest({"tile-outer", "why", "input.mlir", ""}, {step});
  CHECK_THAT(text, Contains("passes: \"a{b=\\\"c d\\\"}\""));
  CHECK_THAT(text, Contains("ensures: {ops: {none: [linalg.matmul]}}"));
  CHECK_THAT(text, Contains("expect: {matched: \">=1\"}"));
  CHECK_THAT(text, Contains("input -> tile-outer"));
  CHECK_THAT(text, Contains("targets: [host]"));
}

TEST_CASE("a schedule's parameters keep their types", "[plan]") {
  ScheduleAction schedule{"schedule.mlir", "tile", {"library-1.mlir"}, {}, {}};
  schedule.parameters = {{{"rows", {}}, int64_t(4)},
                         {{"scale", {}}, 2.0},
                         {{"kind", {}}, std::string("outer")}};
  std::string text = reproducerManifest({"tile", "", "input.mlir", ""},
                                        {stepOf("tile", schedule)});
  CHECK_THAT(text, Contains("with: {rows: 4, scale: 2.0, kind: outer}"));
  CHECK_THAT(text, Contains("library: [library-1.mlir]"));
}

TEST_CASE("compilation and run are one bubble, on the same data", "[plan]") {
  TargetSpec target;
  target.name = "x86-avx2";
  RunAction run{"main", {}, 0, {}};
  run.data.set = InputSet::Exact;
  run.data.generate.emplace();
  run.data.generate->seed = 7;
  run.data.generate->inputs.push_back(
      {{"x", {}}, {2, 3}, "float32", "uniform", {{-0.5, 0.5}}});
  std::string text = reproducerManifest(
      {"run", "", "input.mlir", ""},
      {stepOf("run", CompileAction{target, "main", {}}), stepOf("run", run)});
  CHECK_THAT(text, Contains("execute: main"));
  CHECK(text.find("execute") == text.rfind("execute"));
  CHECK_THAT(text, Contains("targets: [x86-avx2]"));
  CHECK_THAT(text, Contains("seed: 7") && Contains("sets: [exact]"));
  CHECK_THAT(text, Contains("x: {shape: [2, 3], dtype: float32, dist: uniform, "
                            "range: [-0.5, 0.5]}"));
}
