// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does steps on a module, in a worker, and says how they fail.
#ifndef LH_INSIGHT_DEBUG_FAILUREPROBE_H
#define LH_INSIGHT_DEBUG_FAILUREPROBE_H

#include "insight/debug/Reproducer.h"
#include "steps/Engine.h"
#include "steps/Reducer.h"

namespace lh {

/// Borrowed: the engine. Not for steps that import.
class FailureProbe {
public:
  struct Limits {
    double stepTimeoutSeconds = 0;
    uint64_t memoryLimitBytes = 0;
  };

  FailureProbe(Engine &engine, std::string scratchFolder)
      : engine(engine), scratchFolder(std::move(scratchFolder)) {}

  /// What becomes of `steps`, one after the other, on the module that `input`
  /// shows: the outcome of the first that doesn't pass, else of the last. Steps
  /// that can't be prepared have not run.
  StepOutcome run(ArrayRef<Step> steps, const Reducer &input);

  Limits limits;
  /// Ctrl-C came during a run: its outcome says nothing.
  bool wasInterrupted() const { return interrupted; }

private:
  bool prepare(ArrayRef<Step> steps);

  Engine &engine;
  std::string scratchFolder;
  Plan plan; ///< what `runner` is prepared for
  std::unique_ptr<EngineStepRunner> runner;
  bool interrupted = false;
};

} // namespace lh

#endif // LH_INSIGHT_DEBUG_FAILUREPROBE_H
