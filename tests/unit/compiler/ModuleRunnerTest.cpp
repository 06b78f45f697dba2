// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps on a module: outcomes, diagnostics, saving and restoring.
#include "IrTest.h"
#include "compiler/session/MlirOptLine.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/MemoryBuffer.h"

#include <catch2/catch.hpp>

using namespace lh;

static constexpr StringRef constantSum = R"(
func.func @main() -> i32 {
  %a = arith.constant 1 : i32
  %b = arith.addi %a, %a : i32
  return %b : i32
})";

TEST_CASE("a step that changes the module says so, with time and memory",
          "[ir]") {
  IrWorkbench bench;
  REQUIRE(bench.import(constantSum).status == StepStatus::Passed);
  StepOutcome first = bench.passes("canonicalize");
  CHECK(first.status == StepStatus::Passed);
  CHECK(first.changedModule);
  CHECK(first.seconds > 0);
  CHECK(first.peakBytes > 1000000);
  StepOutcome second = bench.passes("canonicalize");
  CHECK_FALSE(second.changedModule);
  CHECK_THAT(bench.text(), Catch::Contains("arith.constant 2"));
}

TEST_CASE("a failing pass is reported with its place, its pass and its bubble",
          "[ir]") {
  IrWorkbench bench;
  bench.import("\nmodule {\n  func.func private @f(tensor<?xf32>) -> "
               "tensor<?xf32>\n  func.func @main(%a: tensor<?xf32>) -> "
               "tensor<?xf32> {\n    %0 = tosa.abs %a : (tensor<?xf32>) -> "
               "tensor<?xf32>\n    return %0 : tensor<?xf32>\n  }\n}");
  StepOutcome outcome = bench.passes("cse,one-shot-bufferize");
  REQUIRE(outcome.status == StepStatus::Failed);
  REQUIRE_FALSE(outcome.diagnostics.empty());
  const Diagnostic &error = outcome.diagnostics[0];
  CHECK(kindName(error.kind) == "ir-pass-failed");
  CHECK(error.where.line == 5);
  CHECK(outcome.reason == error.message);
  REQUIRE(error.notes.size() >= 2);
  CHECK(error.notes[error.notes.size() - 2].message ==
        "in 'one-shot-bufferize'");
  CHECK(error.notes.back().message == "while running bubble 'passes'");
  CHECK(error.notes.back().where.line == 3);
}

TEST_CASE("names in locations show which model node is meant", "[ir]") {
  IrWorkbench bench;
  bench.import("func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n"
               "  %0 = tosa.abs %a : (tensor<?xf32>) -> tensor<?xf32> "
               "loc(\"conv1\")\n  return %0 : tensor<?xf32>\n}");
  StepOutcome outcome = bench.passes("one-shot-bufferize");
  REQUIRE_FALSE(outcome.diagnostics.empty());
  CHECK_THAT(outcome.diagnostics[0].message, Catch::Contains("(at 'conv1')"));
  CHECK(outcome.diagnostics[0].where.file == "m.yaml");
}

TEST_CASE("a pass that found nothing to run on is warned of", "[ir]") {
  IrWorkbench bench;
  bench.import(constantSum);
  StepOutcome outcome = bench.passes("cse,gpu.module(canonicalize)");
  CHECK(outcome.status == StepStatus::Passed);
  REQUIRE(outcome.diagnostics.size() == 2);
  CHECK(kindName(outcome.diagnostics[1].kind) == "ir-changed-nothing");
  CHECK(kindName(outcome.diagnostics[0].kind) == "ir-pass-never-ran");
  CHECK(outcome.diagnostics[0].severity == Severity::Warning);
  CHECK(outcome.diagnostics[0].where.column == 35);
}

TEST_CASE("warnings of MLIR are passed on", "[ir]") {
  IrWorkbench bench;
  bench.import(constantSum);
  StepOutcome outcome = bench.schedule(
      "transform.named_sequence @e(%r: !transform.any_op "
      "{transform.readonly}) {\n"
      "transform.debug.emit_remark_at %r, \"seen\" : !transform.any_op\n"
      "transform.yield }",
      "e");
  REQUIRE(outcome.status == StepStatus::Passed);
  REQUIRE_FALSE(outcome.diagnostics.empty());
  CHECK(kindName(outcome.diagnostics[0].kind) == "ir-message");
  CHECK(outcome.diagnostics[0].severity == Severity::Remark);
  CHECK(outcome.diagnostics[0].message == "seen");
}

TEST_CASE("a step without a module, or for a backend, fails", "[ir]") {
  IrWorkbench bench;
  StepOutcome early = bench.passes("cse");
  REQUIRE(early.status == StepStatus::Failed);
  CHECK(kindName(early.diagnostics[0].kind) == "ir-wrong-step");
  bench.import(constantSum);
  Step compile;
  compile.action = CompileAction{};
  CHECK_FALSE(ModuleRunner::handles(compile));
  CHECK(bench.runner.run(compile).status == StepStatus::Failed);
  Step emit;
  emit.action = EmitAction{EmitFormat::Object, "x.o", std::nullopt};
  CHECK_FALSE(ModuleRunner::handles(emit));
  CHECK(bench.runner.run(emit).status == StepStatus::Failed);
}

TEST_CASE("a payload that doesn't parse fails at its own line", "[ir]") {
  IrWorkbench bench;
  StepOutcome outcome = bench.import("\nfunc.func @main( {");
  REQUIRE(outcome.status == StepStatus::Failed);
  CHECK(outcome.diagnostics[0].where.line == 2);
}

TEST_CASE("saving and restoring bring a module back", "[ir]") {
  IrWorkbench bench;
  bench.import(constantSum);
  std::string before = bench.text();
  auto saved = bench.runner.save();
  bench.passes("canonicalize");
  CHECK(bench.text() != before);
  bench.runner.restore(*saved);
  CHECK(bench.text() == before);
  bench.runner.restore(*saved);
  CHECK(bench.text() == before);
}

TEST_CASE("prepare reports every bad step and a shared one once", "[ir]") {
  IrWorkbench bench;
  CollectingSink sink;
  Step bad = IrWorkbench::passesStep("nosuch-a");
  std::vector<Step> steps{bad, IrWorkbench::passesStep("cse"), bad,
                          IrWorkbench::passesStep("nosuch-b")};
  CHECK(failed(bench.runner.prepare(steps, sink)));
  REQUIRE(sink.errorCount() == 2);
  CHECK(sink.diagnostics()[0].notes[0].message == "in bubble 'passes'");
}

TEST_CASE("emit writes the module and passes it through", "[ir]") {
  IrWorkbench bench;
  bench.import(constantSum);
  Step emit;
  emit.action =
      EmitAction{EmitFormat::Mlir, bench.write("out.mlir", ""), std::nullopt};
  StepOutcome outcome = bench.runner.run(emit);
  CHECK(outcome.status == StepStatus::Passed);
  CHECK_FALSE(outcome.changedModule);
  auto file =
      llvm::MemoryBuffer::getFile(std::get<EmitAction>(emit.action).path);
  REQUIRE(file);
  CHECK((*file)->getBuffer().contains("arith.addi"));
}

TEST_CASE("an external tool gets the module and gives one back", "[ir]") {
  std::string seen;
  ModuleRunnerOptions options;
  options.runCommand = [&](ArrayRef<std::string> words, StringRef input,
                           DiagnosticSink &) -> FailureOr<std::string> {
    seen = words.front() + ":" + input.str();
    return std::string(words.back() == "good" ? "module @made {}" : "nonsense");
  };
  IrWorkbench bench(std::move(options));
  bench.import(constantSum);
  Step command;
  command.action = CommandAction{{"tool", "good"}};
  CHECK(bench.runner.run(command).status == StepStatus::Passed);
  CHECK_THAT(seen, Catch::StartsWith("tool:module"));
  CHECK_THAT(bench.text(), Catch::Contains("@made"));
  command.action = CommandAction{{"tool", "bad"}};
  StepOutcome outcome = bench.runner.run(command);
  REQUIRE(outcome.status == StepStatus::Failed);
  CHECK(kindName(outcome.diagnostics[0].kind) == "ir-command-failed");
}

TEST_CASE("without leave an external tool doesn't run", "[ir]") {
  IrWorkbench bench;
  bench.import(constantSum);
  Step command;
  command.action = CommandAction{{"tool"}};
  StepOutcome outcome = bench.runner.run(command);
  REQUIRE(outcome.status == StepStatus::Failed);
  CHECK_THAT(outcome.reason, Catch::Contains("--allow-exec"));
}

TEST_CASE("contracts are checked before and after a step", "[ir]") {
  IrWorkbench bench;
  bench.import(constantSum);
  Step step = IrWorkbench::passesStep("canonicalize");
  step.requires_.emplace().opsSome = {"arith.addi"};
  CHECK(bench.runner.run(step).status == StepStatus::Passed);
  StepOutcome outcome = bench.runner.run(step);
  REQUIRE(outcome.status == StepStatus::Failed);
  CHECK(kindName(outcome.diagnostics[0].kind) == "ir-broken-contract");
  Step broken = IrWorkbench::passesStep("cse");
  broken.ensures.emplace().dialectsNone = {"arith"};
  CHECK(bench.runner.run(broken).status == StepStatus::Failed);
}

TEST_CASE("the mlir-opt line spells out what a bare list leaves out", "[ir]") {
  IrWorkbench bench;
  CHECK(mlirOptLine(IrWorkbench::passesStep("cse,promote-buffers-to-stack"),
                    bench.session) ==
        "mlir-opt --pass-pipeline='builtin.module(cse,func.func("
        "promote-buffers-to-stack))'");
  bench.session.setGapsPlugin("lib/gaps.so");
  CHECK(mlirOptLine(IrWorkbench::passesStep("lh-widen"), bench.session) ==
        "mlir-opt --load-pass-plugin=lib/gaps.so "
        "--load-dialect-plugin=lib/gaps.so "
        "--pass-pipeline='builtin.module(lh-widen)'");
  Step schedule;
  schedule.action = ScheduleAction{
      "s.mlir", "tile", {"l.mlir"}, {parameter("k", int64_t{4})}, {}};
  std::string line = mlirOptLine(schedule, bench.session);
  CHECK_THAT(line, Catch::Contains("transform-library-paths=s.mlir,l.mlir"));
  CHECK_THAT(line, Catch::Contains("entry-point=tile"));
  CHECK_THAT(line, Catch::Contains("# without values for k"));
}
