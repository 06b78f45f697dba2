// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does every kind of step: on the module, and with compiled code.
#ifndef LH_STEPS_ENGINESTEPRUNNER_H
#define LH_STEPS_ENGINESTEPRUNNER_H

#include "core/support/PortablePaths.h"
#include "runtime/abi/Backend.h"
#include "steps/ModuleRunner.h"

#include <functional>
#include <map>
#include <utility>

namespace lh {

struct EngineRunnerOptions {
  ModuleRunnerOptions module;
  /// An existing folder. Outputs of run steps go to
  /// `<scratchFolder>/<step>-<position>-<output>.npy`.
  std::string scratchFolder;
  /// Inputs of run steps are written too, to `<scratchFolder>/inputs`.
  bool keepsInputs = false;
  /// For takeProduct().
  bool keepsProducts = false;
  /// Emulated runs write what they counted to countsFileOf().
  bool countsInstructions = false;
  /// Where the time of a run's calls goes, in StepOutcome::profile.
  bool profiles = false;
  /// Fill in StepOutcome::codeHash.
  bool hashesCode = false;
  /// Told of each run that went well, while all it ran with is there.
  std::function<void(const Step &, Executable &, ArrayRef<NamedTensor> inputs,
                     ArrayRef<NamedTensor> outputs)>
      afterRun;
  /// Told instead, before the run, of code that doesn't survive a fork.
  std::function<void(const Step &, Executable &, ArrayRef<NamedTensor> inputs)>
      beforeRun;
};

/// Where a run step's counts go (RunOptions::countsFile).
std::string countsFileOf(StringRef scratchFolder, StepId step);

/// Its state is ModuleRunner's module and the code loaded last.
class EngineStepRunner : public StepRunner {
public:
  /// `session` and `backends` must outlive it.
  EngineStepRunner(MlirSession &session, const BackendRegistry &backends,
                   EngineRunnerOptions options);
  ~EngineStepRunner() override;

  /// What can be known before anything runs: pass strings and schedules
  /// (ModuleRunner::prepare), backends, and the formats they can emit.
  LogicalResult prepare(ArrayRef<Step> steps, DiagnosticSink &sink);

  StepOutcome run(const Step &step) override;

  /// What the last compile or emit step has made, as bytes that runFrom() takes
  /// in place of a module; empty when the options don't ask for it.
  std::string takeProduct() { return std::exchange(product, {}); }
  /// How paths are written in products.
  void setPaths(PortablePaths portable) { paths = std::move(portable); }
  /// Loads the code that a compile step had made, or writes the file of an emit
  /// step; the module stays as it is.
  StepOutcome runFrom(const Step &step, StringRef product);

  /// To be restored in the order of a tree walk: restore() unloads what was
  /// loaded since its save().
  std::unique_ptr<SavedState> save() override;
  void restore(const SavedState &state) override;

  ModuleRunner &moduleRunner() { return modules; }

private:
  LogicalResult perform(const Step &step, StepOutcome &outcome,
                        DiagnosticSink &sink);
  LogicalResult performFrom(const Step &step, StringRef product,
                            DiagnosticSink &sink);
  LogicalResult takeTool(const CompileAction &action, DiagnosticSink &sink);
  LogicalResult compile(const CompileAction &action, const Step &step,
                        StepOutcome &outcome, DiagnosticSink &sink);
  LogicalResult load(const CompileAction &action, StepId step,
                     CompiledCode code, DiagnosticSink &sink);
  FailureOr<std::unique_ptr<Executable>>
  loadLibrary(const CompileAction &action, StepId step, CompiledCode code,
              DiagnosticSink &sink);
  LogicalResult execute(const RunAction &action, const Step &step,
                        StepOutcome &outcome, DiagnosticSink &sink);
  LogicalResult emit(const EmitAction &action, const SourceSpan &where,
                     DiagnosticSink &sink);
  LogicalResult prepareStep(const Step &step, DiagnosticSink &sink);
  bool checksWritten(const RunAction &action, const Step &step,
                     const EntryAbi &abi) const;

  const BackendRegistry &backends;
  EngineRunnerOptions options;
  MlirSession &session;
  ModuleRunner modules;
  std::string product;
  PortablePaths paths;
  std::map<StepId, std::vector<StepId>> firstRuns; ///< see findFirstRuns()
  std::map<StepId, DataSet> firstData;             ///< what those run on
  std::vector<std::unique_ptr<Executable>> loaded; ///< the last one runs
  /// What the last one was made of, with clocks, where runs are profiled.
  std::optional<ClockedCode> clocked;
};

} // namespace lh

#endif // LH_STEPS_ENGINESTEPRUNNER_H
