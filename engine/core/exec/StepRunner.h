// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The border between walking a plan and doing a step.
#ifndef LH_CORE_EXEC_STEPRUNNER_H
#define LH_CORE_EXEC_STEPRUNNER_H

#include "core/plan/RunRecord.h"

namespace lh {

/// Does steps on the state of one process (a module, later loaded code).
/// `fork()` copies that state; `--in-process` uses save() and restore().
class StepRunner {
public:
  /// What save() returned; only its own runner knows what is in it.
  class SavedState {
  public:
    virtual ~SavedState() = default;
  };

  virtual ~StepRunner() = default;

  /// Never throws or exits on a user's mistake: that is an outcome.
  virtual StepOutcome run(const Step &step) = 0;

  virtual std::unique_ptr<SavedState> save() = 0;
  virtual void restore(const SavedState &state) = 0;

  /// A run of this step starts threads or holds the device: its process must
  /// be a leaf, and a timed one has the machine to itself.
  static bool isTimed(const Step &step) {
    const auto *run = std::get_if<RunAction>(&step.action);
    return run && run->repeat > 0;
  }
};

} // namespace lh

#endif // LH_CORE_EXEC_STEPRUNNER_H
