// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the searches of schedules found, and what that means.
#include "IrTest.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"

#include <catch2/catch.hpp>

using namespace lh;

static constexpr StringRef twoAdds = R"(
func.func @main(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  %1 = arith.addf %0, %a : f32
  return %1 : f32
})";

/// Matches additions by walking and by collecting, then what is not there.
static constexpr StringRef searches = R"(
transform.named_sequence @is_add(%op: !transform.any_op {transform.readonly}) -> !transform.any_op {
  transform.match.operation_name %op ["arith.addf"] : !transform.any_op
  transform.yield %op : !transform.any_op
}
transform.named_sequence @is_mul(%op: !transform.any_op {transform.readonly}) -> !transform.any_op {
  transform.match.operation_name %op ["arith.mulf"] : !transform.any_op
  transform.yield %op : !transform.any_op
}
transform.named_sequence @mark(%op: !transform.any_op {transform.readonly}) {
  transform.annotate %op "seen" : !transform.any_op
  transform.yield
}
transform.named_sequence @walk(%root: !transform.any_op {transform.consumed}) {
  %r = transform.foreach_match in %root @is_add -> @mark : (!transform.any_op) -> !transform.any_op
  transform.foreach_match in %r @is_mul -> @mark : (!transform.any_op) -> !transform.any_op
  transform.yield
}
transform.named_sequence @collect(%root: !transform.any_op {transform.readonly}) {
  %adds = transform.collect_matching @is_add in %root : (!transform.any_op) -> !transform.any_op
  %muls = transform.collect_matching @is_mul in %adds {lh.optional = "rare"} : (!transform.any_op) -> !transform.any_op
  %users = transform.foreach %muls : !transform.any_op -> !transform.any_op {
  ^bb0(%mul: !transform.any_op):
    %it = transform.get_parent_op %mul {allow_empty_results} : (!transform.any_op) -> !transform.any_op
    transform.yield %it : !transform.any_op
  }
  %none = transform.select "arith.divf" in %users : (!transform.any_op) -> !transform.any_op
  transform.yield
})";

/// What the sequence `entry` of the searches finds in the two additions.
static StepOutcome search(IrWorkbench &bench, StringRef entry) {
  bench.import(twoAdds);
  StepOutcome outcome = bench.schedule(searches, entry);
  REQUIRE(outcome.reason == "");
  return outcome;
}

static int64_t foundAt(const StepOutcome &outcome, unsigned line) {
  for (const MatchCount &match : outcome.matches)
    if (match.where.line == line)
      return match.operations;
  return -1;
}

TEST_CASE("foreach_match counts the actions that it ran", "[ir]") {
  IrWorkbench bench;
  StepOutcome outcome = search(bench, "walk");
  CHECK(foundAt(outcome, 16) == 2);
  CHECK(foundAt(outcome, 17) == 0);
  REQUIRE(outcome.diagnostics.size() == 1);
  CHECK(kindName(outcome.diagnostics[0].kind) == "ir-matched-nothing");
  CHECK(outcome.diagnostics[0].where.line == 17);
  CHECK(countOf(bench.text(), "seen") == 2);
}

TEST_CASE("only the first empty handle is a finding, unless it is optional",
          "[ir]") {
  IrWorkbench bench;
  StepOutcome outcome = search(bench, "collect");
  CHECK(foundAt(outcome, 21) == 2);
  CHECK(foundAt(outcome, 22) == 0);
  CHECK(foundAt(outcome, 25) == -1);
  CHECK(foundAt(outcome, 28) == 0);
  // The collecting found some, and the select was given none: only that the
  // whole changed nothing is left to say.
  REQUIRE(outcome.diagnostics.size() == 1);
  CHECK(kindName(outcome.diagnostics[0].kind) == "ir-changed-nothing");
}

TEST_CASE("an optional bubble may find nothing and change nothing", "[ir]") {
  IrWorkbench bench;
  bench.import(twoAdds);
  Step step = bench.scheduleStep(scheduleModule(searches), "collect");
  step.optional = "there may be none";
  CHECK(bench.runner.run(step).diagnostics.empty());
  Step idle = IrWorkbench::passesStep("cse");
  StepOutcome outcome = bench.runner.run(idle);
  REQUIRE(outcome.diagnostics.size() == 1);
  CHECK(kindName(outcome.diagnostics[0].kind) == "ir-changed-nothing");
  idle.optional = "there may be nothing in common";
  CHECK(bench.runner.run(idle).diagnostics.empty());
}

TEST_CASE("an unexpected number of matches is an error with each place",
          "[ir]") {
  IrWorkbench bench;
  bench.import(twoAdds);
  Step step = bench.scheduleStep(scheduleModule(searches), "walk");
  MatchedDecl expected;
  expected.least = 2;
  expected.most = 2;
  step.expectMatched = {expected};
  CHECK(bench.runner.run(step).status == StepStatus::Passed);
  step.expectMatched[0].least = 3;
  step.expectMatched[0].most = std::nullopt;
  step.expectMatched[0].where = {"m.yaml", 4, 5, 0};
  bench.import(twoAdds);
  StepOutcome outcome = bench.runner.run(step);
  CHECK(outcome.status == StepStatus::Failed);
  CHECK(outcome.reason ==
        "the matches of the schedule found 2; expected are at least 3");
  const Diagnostic &error = outcome.diagnostics.back();
  CHECK(kindName(error.kind) == "ir-matched-other");
  CHECK(error.where.line == 4);
  REQUIRE(error.notes.size() == 3);
  CHECK(error.notes[0].where.line == 16);
  CHECK(error.notes[0].message == "this one found 2");
}

TEST_CASE("a step says what the module holds before and after it", "[ir]") {
  IrWorkbench bench;
  StepOutcome imported = bench.import(twoAdds);
  CHECK_FALSE(imported.before);
  REQUIRE(imported.after);
  CHECK(imported.after->operations ==
        std::map<std::string, int64_t>{{"arith", 2}, {"func", 2}});
  StepOutcome lowered = bench.passes("convert-arith-to-llvm");
  CHECK(lowered.before->total() == 4);
  CHECK(lowered.after->operations ==
        std::map<std::string, int64_t>{{"func", 2}, {"llvm", 2}});
  StepOutcome constant = bench.import(
      "func.func @main() -> tensor<2x32xi8> { %0 = arith.constant "
      "dense<[[1, 2], [3, 4]]> : tensor<2x2xi8> %1 = arith.constant "
      "dense_resource<w> : tensor<2x32xi8> return %1 : tensor<2x32xi8> }\n"
      "{-# dialect_resources: {builtin: {w: \"0x01000000" +
      std::string(128, '0') + "\"}} #-}");
  REQUIRE(constant.after);
  CHECK(constant.after->constantBytes == 64);
}

TEST_CASE("times are a tree of ops of the schedule and of passes", "[ir]") {
  ModuleRunnerOptions options;
  options.timing = true;
  IrWorkbench bench(options);
  bench.import(twoAdds);
  StepOutcome passes = bench.passes("func.func(cse,canonicalize)");
  REQUIRE(passes.passes.size() == 2);
  CHECK(passes.passes[0].name == "cse");
  CHECK(passes.passes[1].name == "canonicalize");
  CHECK(passes.passes[1].begin >= passes.passes[0].begin);
  StepOutcome outcome = bench.schedule(R"(
transform.named_sequence @e(%r: !transform.any_op {transform.readonly}) {
  %f = transform.structured.match ops{["func.func"]} in %r : (!transform.any_op) -> !transform.any_op
  transform.foreach %f : !transform.any_op {
  ^bb0(%it: !transform.any_op):
    %0 = transform.apply_registered_pass "canonicalize" to %it : (!transform.any_op) -> !transform.any_op
  }
  transform.yield
})",
                                       "e");
  REQUIRE(outcome.reason == "");
  std::vector<std::string> tree;
  for (const PassTime &time : outcome.passes)
    tree.push_back(std::string(time.depth, ' ') + time.name);
  CHECK(tree == std::vector<std::string>{
                    "transform.structured.match", "transform.foreach",
                    " transform.apply_registered_pass", "  canonicalize"});
  for (const PassTime &time : outcome.passes)
    CHECK(time.seconds > 0);
}

namespace {
/// Remarks on every function.
struct RemarkingPass
    : mlir::PassWrapper<RemarkingPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RemarkingPass)
  StringRef getArgument() const override { return "test-remark"; }
  void runOnOperation() override {
    mlir::remark::missed(
        getOperation().getBody()->front().getLoc(),
        mlir::remark::RemarkOpts::name("Unrolled").category("Loops"))
        << "too long";
  }
};
} // namespace

TEST_CASE("what passes tell MLIR's remark engine is said of their step",
          "[ir]") {
  IrWorkbench bench;
  mlir::PassRegistration<RemarkingPass>();
  bench.import(twoAdds);
  StepOutcome outcome = bench.passes("test-remark");
  CHECK(outcome.reason == "");
  REQUIRE(outcome.diagnostics.size() == 2);
  const Diagnostic &remark = outcome.diagnostics[0];
  CHECK(kindName(remark.kind) == "ir-remark");
  CHECK(remark.severity == Severity::Remark);
  CHECK(remark.message == "missed: Loops: Unrolled: too long");
  CHECK(remark.where.line == 2);
}
