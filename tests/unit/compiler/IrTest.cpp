// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The workbench of the ir tests.
#include "IrTest.h"

#include "mlir/IR/BuiltinOps.h"

using namespace lh;

Step IrWorkbench::passesStep(StringRef pipeline) {
  Step step;
  step.bubble = "passes";
  step.declaredAt = {"m.yaml", 3, 3, 6};
  step.action =
      PassesAction{pipeline.str(),
                   {"m.yaml", 4, 20, static_cast<unsigned>(pipeline.size())}};
  return step;
}

Step IrWorkbench::scheduleStep(StringRef mlir, StringRef entry,
                               std::vector<BoundParameter> parameters) {
  Step step;
  step.bubble = "schedule";
  step.declaredAt = {"m.yaml", 5, 3, 8};
  std::string name = "schedule" + std::to_string(schedules++) + ".mlir";
  step.action = ScheduleAction{write(name, mlir),
                               entry.str(),
                               {},
                               std::move(parameters),
                               {"m.yaml", 6, 15, 0}};
  return step;
}

StepOutcome IrWorkbench::import(StringRef mlir) {
  Step step;
  step.bubble = "import";
  step.declaredAt = {"m.yaml", 2, 3, 6};
  step.action = ImportAction{
      IngressKind::Mlir, write("payload.mlir", mlir), {}, std::nullopt};
  return runner.run(step);
}

mlir::ModuleOp IrWorkbench::imported(StringRef mlir) {
  REQUIRE(import(mlir).reason == "");
  return runner.module();
}

StepOutcome IrWorkbench::passes(StringRef pipeline) {
  return runner.run(passesStep(pipeline));
}

StepOutcome IrWorkbench::schedule(StringRef sequences, StringRef entry,
                                  std::vector<BoundParameter> parameters) {
  return runner.run(
      scheduleStep(scheduleModule(sequences), entry, std::move(parameters)));
}

StepOutcome IrWorkbench::choose(StringRef strategy) {
  return schedule(
      ("transform.named_sequence @choose(%root: !transform.any_op "
       "{transform.readonly}) {\n"
       "  %ops = transform.structured.match interface{LinalgOp} in %root : "
       "(!transform.any_op) -> !transform.any_op\n"
       "  %choice = transform.param.constant #dlti.map<\"strategy\" = \"" +
       strategy +
       "\", \"rule\" = \"mine\"> -> !transform.any_param\n"
       "  transform.annotate %ops \"lh.choice\" = %choice : "
       "!transform.any_op, !transform.any_param\n"
       "  transform.yield\n}")
          .str(),
      "choose");
}

std::string IrWorkbench::text() {
  std::string printed;
  if (mlir::ModuleOp module = runner.module()) {
    llvm::raw_string_ostream stream(printed);
    module.print(stream);
  }
  return printed;
}

std::string lh::scheduleModule(StringRef sequences) {
  return ("module attributes {transform.with_named_sequence} {\n" + sequences +
          "\n}\n")
      .str();
}

BoundParameter lh::parameter(StringRef name, Value value) {
  return {{name.str(), {"m.yaml", 7, 12, 0}}, std::move(value)};
}

std::string lh::after(StringRef passes, StringRef payload) {
  IrWorkbench bench;
  REQUIRE(bench.import(payload).reason == "");
  CHECK(bench.passes(passes).reason == "");
  return bench.text();
}

size_t lh::countOf(StringRef text, StringRef needle) {
  return text.count(needle);
}
