// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a plan in worker processes, or in this one.
#ifndef LH_CORE_EXEC_EXECUTOR_H
#define LH_CORE_EXEC_EXECUTOR_H

#include "core/exec/StepRunner.h"
#include "core/plan/RunObserver.h"

namespace lh {

struct ExecOptions {
  unsigned jobs = 0;             ///< live workers; 0: as many as processors
  double stepTimeoutSeconds = 0; ///< 0: none
  uint64_t memoryLimitBytes = 0; ///< of a worker's data; 0: none
  /// Start further cases after a failure. Everything else of a case that has
  /// begun runs in any case: a failure costs its own subtree only.
  bool keepGoing = false;
  bool inProcess = false; ///< no workers: for a debugger
  /// An existing folder for locks and for what workers write to standard
  /// error; nothing of it is left there.
  std::string scratchFolder;
};

/// Does the plan's steps with `runner`, each once, and judges each result as
/// soon as its leaves have ended. Must be called while this process has one
/// thread. Ctrl-C (SIGINT, SIGTERM) ends everything and returns what there is,
/// except in-process, where it ends the program.
RunRecord execute(const Plan &plan, StepRunner &runner,
                  const ExecOptions &options, RunObserver &observer);

} // namespace lh

#endif // LH_CORE_EXEC_EXECUTOR_H
