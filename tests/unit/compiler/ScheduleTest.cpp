// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules: linking, parameters, entries, what they report.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

static constexpr StringRef square = R"(
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>,
                %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
                     outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
})";

namespace {
/// With a product to schedule.
struct SquareBench : IrWorkbench {
  SquareBench() { REQUIRE(import(square).status == StepStatus::Passed); }
};
} // namespace

static constexpr StringRef tile = R"(
transform.named_sequence @tile(
    %root: !transform.any_op {transform.readonly},
    %size: !transform.param<i64> {transform.readonly, lh.name = "size"}) {
  %m = transform.structured.match ops{["linalg.matmul"]} in %root
    : (!transform.any_op) -> !transform.any_op
  %t, %l = transform.structured.tile_using_for %m tile_sizes [%size]
    : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
  transform.yield
})";

static constexpr StringRef unroll = R"(
transform.named_sequence @unroll(%root: !transform.any_op {transform.readonly}) {
  %m = transform.structured.match ops{["linalg.matmul"]} in %root
    : (!transform.any_op) -> !transform.any_op
  %t, %l = transform.structured.tile_using_for %m tile_sizes [0, 0, 8]
      {lh.bind = {static_sizes = "sizes"}}
    : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
})";

static const Diagnostic &firstError(const StepOutcome &outcome) {
  REQUIRE(outcome.status == StepStatus::Failed);
  REQUIRE_FALSE(outcome.diagnostics.empty());
  return outcome.diagnostics[0];
}

TEST_CASE("a parameter binds to the entry's argument by its lh.name", "[ir]") {
  SquareBench bench;
  StepOutcome outcome =
      bench.schedule(tile, "tile", {parameter("size", int64_t{16})});
  CHECK(outcome.reason == "");
  REQUIRE(outcome.status == StepStatus::Passed);
  CHECK(outcome.changedModule);
  CHECK_THAT(bench.text(), Catch::Contains("tensor<16x64xf32>"));
}

TEST_CASE("lh.bind replaces a literal and without a value keeps it", "[ir]") {
  SquareBench bound, literal;
  StepOutcome outcome = bound.schedule(
      unroll, "unroll", {parameter("sizes", std::vector<int64_t>{0, 0, 4})});
  CHECK(outcome.reason == "");
  CHECK_THAT(bound.text(), Catch::Contains("tensor<64x4xf32>"));
  literal.schedule(unroll, "unroll");
  CHECK_THAT(literal.text(), Catch::Contains("tensor<64x8xf32>"));
}

static constexpr StringRef strips = R"(
transform.named_sequence @strips(%root: !transform.any_op {transform.readonly}) {
  %m = transform.structured.match ops{["linalg.matmul"]} in %root
    : (!transform.any_op) -> !transform.any_op
  %t, %l = transform.structured.tile_using_for %m tile_sizes [0, 0, 8]
      {lh.bind = {static_sizes = [0, 0, "depth"]}}
    : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
})";

TEST_CASE("lh.bind replaces single numbers of a list", "[ir]") {
  SquareBench bound, literal, mistyped;
  StepOutcome outcome =
      bound.schedule(strips, "strips", {parameter("depth", int64_t{4})});
  CHECK(outcome.reason == "");
  CHECK_THAT(bound.text(), Catch::Contains("tensor<64x4xf32>"));
  literal.schedule(strips, "strips");
  CHECK_THAT(literal.text(), Catch::Contains("tensor<64x8xf32>"));
  StepOutcome failed =
      mistyped.schedule(strips, "strips", {parameter("depth", true)});
  CHECK(kindName(firstError(failed).kind) == "ir-mistyped-parameter");
}

static std::string mark(StringRef keys) {
  return ("transform.named_sequence @mark(%r: !transform.any_op "
          "{transform.readonly}) {\n"
          "  %m = transform.structured.match ops{[\"linalg.matmul\"]} in %r\n"
          "      : (!transform.any_op) -> !transform.any_op\n"
          "  %c = transform.param.constant #dlti.map<\"rule\" = \"mine\", "
          "\"rows\" = 8>\n      {lh.bind = {value = {" +
          keys +
          "}}} -> !transform.any_param\n"
          "  transform.annotate %m \"lh.choice\" = %c\n"
          "      : !transform.any_op, !transform.any_param\n"
          "  transform.yield\n}")
      .str();
}

TEST_CASE("lh.bind replaces keys of a map", "[ir]") {
  SquareBench bound, literal, mistyped, unknown;
  std::string rows = mark("rows = \"height\"");
  CHECK(
      bound.schedule(rows, "mark", {parameter("height", int64_t{5})}).reason ==
      "");
  CHECK_THAT(bound.text(),
             Catch::Contains("#dlti.map<\"rule\" = \"mine\", \"rows\" = 5"));
  literal.schedule(rows, "mark");
  CHECK_THAT(literal.text(), Catch::Contains("\"rows\" = 8"));
  StepOutcome failed = mistyped.schedule(
      rows, "mark", {parameter("height", std::string("tall"))});
  CHECK(kindName(firstError(failed).kind) == "ir-mistyped-parameter");
  StepOutcome refused = unknown.schedule(mark("columns = \"width\""), "mark");
  CHECK(kindName(firstError(refused).kind) == "ir-bad-binding");
  CHECK_THAT(firstError(refused).message, Catch::Contains("keys of a map"));
}

TEST_CASE("a parameter without a value is missing", "[ir]") {
  SquareBench bench;
  StepOutcome outcome = bench.schedule(tile, "tile");
  CHECK(kindName(firstError(outcome).kind) == "ir-missing-parameter");
  CHECK(firstError(outcome).where.line == 6);
  REQUIRE(firstError(outcome).notes.size() == 2);
  CHECK(firstError(outcome).notes[0].where.line == 5);
}

TEST_CASE("a parameter that nothing takes is unknown", "[ir]") {
  SquareBench bench;
  StepOutcome outcome = bench.schedule(
      tile, "tile",
      {parameter("size", int64_t{16}), parameter("sise", int64_t{16})});
  CHECK(kindName(firstError(outcome).kind) == "ir-unknown-parameter");
  CHECK(firstError(outcome).where.line == 7);
  CHECK_THAT(firstError(outcome).message,
             Catch::Contains("did you mean 'size'?"));
}

TEST_CASE("a parameter of the wrong type is mistyped", "[ir]") {
  SquareBench bench;
  StepOutcome text =
      bench.schedule(tile, "tile", {parameter("size", std::string("big"))});
  CHECK(kindName(firstError(text).kind) == "ir-mistyped-parameter");
  CHECK_THAT(firstError(text).message, Catch::Contains("is a string"));
  StepOutcome scalar =
      bench.schedule(unroll, "unroll", {parameter("sizes", int64_t{4})});
  CHECK(kindName(firstError(scalar).kind) == "ir-mistyped-parameter");
}

TEST_CASE("an unknown entry names the nearest sequence", "[ir]") {
  SquareBench bench;
  StepOutcome outcome = bench.schedule(tile, "tiles");
  CHECK(kindName(firstError(outcome).kind) == "ir-unknown-entry");
  CHECK_THAT(firstError(outcome).message,
             Catch::Contains("did you mean 'tile'?"));
}

TEST_CASE("an entry without a payload or with a nameless argument is refused",
          "[ir]") {
  SquareBench bench;
  StepOutcome rootless =
      bench.schedule("transform.named_sequence @e() { transform.yield }", "e");
  CHECK(kindName(firstError(rootless).kind) == "ir-bad-entry");
  StepOutcome nameless =
      bench.schedule("transform.named_sequence @e(%r: !transform.any_op "
                     "{transform.readonly}, %n: !transform.param<i64> "
                     "{transform.readonly}) { transform.yield }",
                     "e");
  CHECK(kindName(firstError(nameless).kind) == "ir-bad-entry");
}

TEST_CASE("a schedule that doesn't parse is an error at its own line", "[ir]") {
  SquareBench bench;
  StepOutcome outcome = bench.schedule("transform.nosuch", "e");
  CHECK(kindName(firstError(outcome).kind) == "ir-bad-schedule");
  CHECK(firstError(outcome).where.line == 2);
  CHECK(StringRef(firstError(outcome).where.file).ends_with("schedule0.mlir"));
}

TEST_CASE("an included sequence comes from the library", "[ir]") {
  SquareBench bench;
  constexpr StringRef sequences = R"(
transform.named_sequence private @tile(%r: !transform.any_op {transform.readonly},
    %s: !transform.param<i64> {transform.readonly})
transform.named_sequence @main(%r: !transform.any_op {transform.readonly}) {
  %s = transform.param.constant 16 : i64 -> !transform.param<i64>
  transform.include @tile failures(propagate) (%r, %s)
    : (!transform.any_op, !transform.param<i64>) -> ()
  transform.yield
})";
  Step step = bench.scheduleStep(scheduleModule(sequences), "main");
  StepOutcome missing = bench.runner.run(step);
  CHECK(kindName(firstError(missing).kind) == "ir-bad-schedule");
  CHECK_THAT(firstError(missing).message, Catch::Contains("'library:'"));
  std::get<ScheduleAction>(step.action).libraries = {
      bench.write("library.mlir", scheduleModule(tile))};
  StepOutcome found = bench.runner.run(step);
  CHECK(found.reason == "");
  CHECK(found.changedModule);
}

TEST_CASE("a match that found nothing and a schedule that changed nothing are "
          "said",
          "[ir]") {
  IrWorkbench bench;
  bench.import("func.func @main() { return }");
  StepOutcome outcome = bench.schedule(unroll, "unroll");
  REQUIRE(outcome.status == StepStatus::Passed);
  CHECK_FALSE(outcome.changedModule);
  REQUIRE(outcome.diagnostics.size() == 2);
  CHECK(kindName(outcome.diagnostics[0].kind) == "ir-matched-nothing");
  CHECK(outcome.diagnostics[0].severity == Severity::Remark);
  CHECK(outcome.diagnostics[0].where.line == 4);
  CHECK(outcome.diagnostics[0].where.column == 8);
  CHECK(kindName(outcome.diagnostics[1].kind) == "ir-changed-nothing");
}

TEST_CASE("a match that found nothing is said of a failing schedule too",
          "[ir]") {
  IrWorkbench bench;
  bench.import("func.func @main() { return }");
  StepOutcome outcome =
      bench.schedule(tile, "tile", {parameter("size", int64_t{16})});
  REQUIRE(outcome.status == StepStatus::Failed);
  REQUIRE(outcome.diagnostics.size() == 2);
  CHECK(kindName(outcome.diagnostics[0].kind) == "ir-schedule-failed");
  CHECK(kindName(outcome.diagnostics[1].kind) == "ir-matched-nothing");
}

TEST_CASE("a schedule that fails to apply says where, with the payload",
          "[ir]") {
  SquareBench bench;
  constexpr StringRef tooMany = R"(
transform.named_sequence @e(%root: !transform.any_op {transform.readonly}) {
  %m = transform.structured.match ops{["linalg.matmul"]} in %root
    : (!transform.any_op) -> !transform.any_op
  %t, %l:4 = transform.structured.tile_using_for %m tile_sizes [2, 2, 2, 2]
    : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.yield
})";
  StepOutcome outcome = bench.schedule(tooMany, "e");
  const Diagnostic &error = firstError(outcome);
  CHECK(kindName(error.kind) == "ir-schedule-failed");
  CHECK(error.where.line == 6);
  REQUIRE(error.notes.size() == 2);
  CHECK(StringRef(error.notes[0].where.file).ends_with("payload.mlir"));
  CHECK(error.notes[0].where.line == 4);
  CHECK(error.notes[1].message == "while running bubble 'schedule'");
}

TEST_CASE("the use of a consumed handle is an error, not a crash", "[ir]") {
  SquareBench bench;
  constexpr StringRef twice = R"(
transform.named_sequence @e(%root: !transform.any_op {transform.readonly}) {
  %m = transform.structured.match ops{["linalg.matmul"]} in %root
    : (!transform.any_op) -> !transform.any_op
  %t, %l = transform.structured.tile_using_for %m tile_sizes [2]
    : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %u, %k = transform.structured.tile_using_for %m tile_sizes [2]
    : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
})";
  StepOutcome outcome = bench.schedule(twice, "e");
  CHECK(kindName(firstError(outcome).kind) == "ir-schedule-failed");
}

TEST_CASE("failures(suppress) is warned of", "[ir]") {
  IrWorkbench bench;
  CollectingSink sink;
  constexpr StringRef sequences = R"(
transform.named_sequence @inner(%r: !transform.any_op {transform.readonly}) {
  transform.yield
}
transform.named_sequence @e(%r: !transform.any_op {transform.readonly}) {
  transform.include @inner failures(suppress) (%r) : (!transform.any_op) -> ()
  transform.yield
})";
  REQUIRE(succeeded(bench.runner.prepare(
      {bench.scheduleStep(scheduleModule(sequences), "e")}, sink)));
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(kindName(sink.diagnostics()[0].kind) == "ir-suppressed-failures");
  CHECK(sink.diagnostics()[0].severity == Severity::Warning);
  CHECK(sink.diagnostics()[0].where.line == 7);
}

TEST_CASE("what a schedule calls optional is no reason to warn", "[ir]") {
  IrWorkbench bench;
  CollectingSink sink;
  constexpr StringRef sequences = R"(
transform.named_sequence @e(%r: !transform.any_op {transform.readonly}) {
  transform.sequence %r : !transform.any_op failures(suppress)
      attributes {lh.optional = "there may be none"} {
  ^bb0(%it: !transform.any_op):
    %0 = transform.structured.match ops{["lh.none"]} in %it
        {lh.optional = "there may be none"}
        : (!transform.any_op) -> !transform.any_op
  }
  transform.yield
})";
  REQUIRE(bench.import("func.func @main() { return }").status ==
          StepStatus::Passed);
  Step step = bench.scheduleStep(scheduleModule(sequences), "e");
  REQUIRE(succeeded(bench.runner.prepare({step}, sink)));
  CHECK(bench.runner.run(step).status == StepStatus::Passed);
  CHECK(sink.diagnostics().empty());
}
