// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a step finds in the module and what it leaves.
#include "steps/StepObservation.h"

#include "mlir/IR/BuiltinOps.h"

using namespace lh;

StepObservation::StepObservation(const Step &step, mlir::ModuleOp module,
                                 const ModuleFacts &facts)
    : step(step), imports(std::holds_alternative<ImportAction>(step.action)),
      emits(std::holds_alternative<EmitAction>(step.action)) {
  // Fingerprints are of addresses, so they only compare one module object. An
  // emit leaves the module as it is; each look costs a walk over it.
  bool replaces = imports || std::holds_alternative<CommandAction>(step.action);
  if (replaces || emits || !module)
    return;
  before = facts.fingerPrint ? facts.fingerPrint
                             : mlir::OperationFingerPrint(module);
  countBefore =
      facts.fingerPrint && facts.count ? facts.count : countModule(module);
  choices = choicesIn(module);
  plain = plainContractions(module);
  flopsBefore = contractionFlops(module);
}

void StepObservation::finish(mlir::ModuleOp module, ModuleFacts &facts) {
  if (emits)
    return;
  facts.fingerPrint.reset();
  if (module)
    facts.fingerPrint.emplace(module);
  changed = !before || !facts.fingerPrint || *before != *facts.fingerPrint;
  if (module)
    facts.count = changed ? countModule(module) : countBefore;
}

/// Passes and schedules are there to change something.
void lh::remarkOnIdleness(const Step &step, DiagnosticSink &sink) {
  auto remark = [&](const SourceSpan &where, const std::string &who) {
    sink.emit({DiagKind::IrChangedNothing,
               Severity::Remark,
               where,
               who + " changed nothing",
               {}});
  };
  if (const auto *schedule = std::get_if<ScheduleAction>(&step.action))
    remark(schedule->where, "the schedule '" + schedule->entry + "'");
  else if (const auto *passes = std::get_if<PassesAction>(&step.action))
    remark(passes->where, "these passes");
  else if (const auto *patterns = std::get_if<PatternsAction>(&step.action))
    remark(patterns->where, "these patterns");
}

void StepObservation::remarkOn(mlir::ModuleOp module, DiagnosticSink &sink) {
  flops = contractionFlops(module);
  // A reference is meant to be plain.
  if (!isReference(step))
    remarkOnPlainLoops(plain, flopsBefore, *flops, sink);
  if (imports)
    remarkOnUncounted(module, step.declaredAt, sink);
}

void StepObservation::report(mlir::ModuleOp module, bool passed,
                             const ModuleFacts &facts, StepOutcome &outcome) {
  outcome.changedModule = changed;
  outcome.before = std::move(countBefore);
  if (!emits && module)
    outcome.after = facts.count;
  if (flops)
    outcome.kernels = std::move(flops->kernels);
  if (!passed || !module)
    return;
  if (changed)
    outcome.choices = madeBetween(choices, choicesIn(module));
  if (imports)
    outcome.work = contractionWork(module);
}
