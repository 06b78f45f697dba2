// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a step finds in the module and what it leaves.
#ifndef LH_STEPS_STEPOBSERVATION_H
#define LH_STEPS_STEPOBSERVATION_H

#include "compiler/session/ContractionFlops.h"
#include "compiler/session/CountModule.h"
#include "compiler/session/OpChoices.h"
#include "core/exec/StepRunner.h"

#include "mlir/IR/OperationSupport.h"

namespace lh {

/// What is known of a module between two steps; nothing where someone else may
/// have changed it.
struct ModuleFacts {
  std::optional<mlir::OperationFingerPrint> fingerPrint;
  std::optional<ModuleCount> count; ///< of the same module
};

/// Looks at the module before a step and after it.
class StepObservation {
public:
  /// Before it runs; `module` may be null.
  StepObservation(const Step &step, mlir::ModuleOp module,
                  const ModuleFacts &facts);

  /// After it ran; `module` may be null. Brings `facts` up to date.
  void finish(mlir::ModuleOp module, ModuleFacts &facts);
  /// Whether the step changed the module; after finish().
  bool changedModule() const { return changed; }
  /// What a step that passed left as plain loops, or what of an imported module
  /// isn't counted.
  void remarkOn(mlir::ModuleOp module, DiagnosticSink &sink);
  /// What finish() and remarkOn() found, for a step that passed or failed.
  void report(mlir::ModuleOp module, bool passed, const ModuleFacts &facts,
              StepOutcome &outcome);

private:
  const Step &step;
  bool imports, emits;
  bool changed = false;
  std::optional<mlir::OperationFingerPrint> before;
  std::optional<ModuleCount> countBefore;
  std::vector<PlainContraction> plain;
  ContractionFlops flopsBefore;
  std::optional<ContractionFlops> flops;
  std::vector<OpChoice> choices;
};

/// Of a step that passed and changed nothing.
void remarkOnIdleness(const Step &step, DiagnosticSink &sink);

} // namespace lh

#endif // LH_STEPS_STEPOBSERVATION_H
