// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does what the cache doesn't know, and keeps what it does.
#ifndef LH_STEPS_CACHEDSTEPRUNNER_H
#define LH_STEPS_CACHEDSTEPRUNNER_H

#include "core/cache/CachePlan.h"
#include "steps/EngineStepRunner.h"

namespace lh {

/// A step that the cache knows is not done: its outcome is what it was. Where
/// work goes on behind it, what it had left behind is loaded. Steps that pass
/// are kept, except those that wrote to standard error, which the cache could
/// not repeat.
class CachedStepRunner : public StepRunner {
public:
  /// All are borrowed; `steps` are those of the plan that will run.
  CachedStepRunner(EngineStepRunner &runner, ArrayRef<CachedStep> steps,
                   const PortablePaths &paths, CacheStore &store,
                   mlir::MLIRContext &context)
      : runner(runner), steps(steps), paths(paths), store(store),
        context(context) {}

  StepOutcome run(const Step &step) override;
  std::unique_ptr<SavedState> save() override { return runner.save(); }
  void restore(const SavedState &state) override { runner.restore(state); }

private:
  StepOutcome load(const Step &step, const CachedStep &cached);
  void keep(const Step &step, const CachedStep &cached,
            const StepOutcome &outcome);

  EngineStepRunner &runner;
  ArrayRef<CachedStep> steps;
  const PortablePaths &paths;
  CacheStore &store;
  mlir::MLIRContext &context;
};

} // namespace lh

#endif // LH_STEPS_CACHEDSTEPRUNNER_H
