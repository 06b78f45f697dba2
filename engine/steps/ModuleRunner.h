// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does the steps that work on an MLIR module: import, passes, schedules,
// external tools, emitting MLIR.
#ifndef LH_STEPS_MODULERUNNER_H
#define LH_STEPS_MODULERUNNER_H

#include "compiler/session/Inspect.h"
#include "compiler/session/MlirSession.h"
#include "compiler/session/Patterns.h"
#include "compiler/session/Schedule.h"
#include "core/exec/StepRunner.h"

#include <functional>
#include <memory>

namespace mlir {
class ModuleOp;
template <typename OpTy> class OwningOpRef;
} // namespace mlir

namespace lh {

/// MLIR's own --mlir-print-ir-* flags; IR goes to standard error, or into a
/// tree of files under `treeDir`.
struct PrintOptions {
  bool beforeAll = false, afterAll = false;
  /// Restrict `afterAll` to passes that changed something, or that failed.
  bool afterChange = false, afterFailure = false;
  /// Print the whole module, also for passes on functions.
  bool moduleScope = false;
  std::string treeDir;

  bool any() const {
    return beforeAll || afterAll || afterChange || afterFailure;
  }
};

struct ModuleRunnerOptions {
  PrintOptions print;
  /// Absent: command steps fail ("only with --allow-exec").
  CommandFunction runCommand;
  /// Where kernels' bodies come from.
  KernelCodeFunction kernelCode;
  /// An existing folder for the module's text after each step that changes it,
  /// `<step>-<bubble>.mlir`, without what large constants hold; empty: none.
  std::string snapshotFolder;
  /// An existing folder for models that commands write,
  /// `<step>-model`.
  std::string scratchFolder = {};
  /// What to keep of the module after every step, for `explain`.
  InspectOptions inspect = {};
  /// Fill in StepOutcome::passes.
  bool timing = false;
  /// Fill in StepOutcome::gaps; not with `timing`.
  bool watchesGaps = false;
  /// Fill in StepOutcome::nodes of imports.
  bool weighsNodes = false;
  /// Fill in StepOutcome::candidates.
  bool listsCandidates = false;
};

/// Its state is one module. Import steps replace it.
class ModuleRunner : public StepRunner {
public:
  explicit ModuleRunner(MlirSession &session, ModuleRunnerOptions options = {});
  ~ModuleRunner() override;

  /// Parses every pass string and schedule of a plan and binds their
  /// parameters, before anything runs; reports all errors. A bubble that
  /// several steps share is checked once. When a step runs on generated inputs,
  /// imports from now on mark which ones are exact
  /// (compiler/session/ExactRange.h).
  LogicalResult prepare(ArrayRef<Step> steps, DiagnosticSink &sink);

  /// True for the actions that run() takes; the backend does the others.
  static bool handles(const Step &step);

  StepOutcome run(const Step &step) override;

  std::unique_ptr<SavedState> save() override;
  void restore(const SavedState &state) override;

  /// The current module; null before the first import.
  mlir::ModuleOp module();
  void setModule(mlir::OwningOpRef<mlir::ModuleOp> module);

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Fills in what every step reports of its process: status and reason from
/// `diagnostics`, and the peak of resident memory so far.
StepOutcome makeOutcome(const Step &step, bool succeeded,
                        std::vector<Diagnostic> diagnostics, double seconds);

} // namespace lh

#endif // LH_STEPS_MODULERUNNER_H
