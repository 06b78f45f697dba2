// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process that does steps, and forks where the plan's tree does.
#ifndef LH_CORE_EXEC_WORKER_H
#define LH_CORE_EXEC_WORKER_H

#include "core/exec/Channel.h"
#include "core/exec/MachineLock.h"
#include "core/exec/Message.h"
#include "core/exec/StepRunner.h"
#include "core/exec/Tokens.h"

#include <atomic>

namespace lh {

class SignalCollector;

/// What all processes of a run share; made before the first fork.
struct WorkerShared {
  const Plan &plan;
  Channel &channel;
  Tokens &tokens;
  MachineLock machine;
  /// In memory that processes share: set when no further case shall begin.
  std::atomic<bool> &stop;
  /// By step: below it are fewer cases than above it.
  const std::vector<bool> &beginsCase;
  uint64_t memoryLimitBytes = 0;
  std::string scratchFolder;
};

/// The file that catches standard error of the worker with this process id.
std::string standardErrorPath(const std::string &scratchFolder, pid_t worker);

/// Forks a worker that does `steps` (siblings) and all below them, then exits.
/// The worker dies with its parent. -1, and errno, when there is no process to
/// be had. `signals` are what the parent collects, if any: the child undoes
/// their mask.
pid_t startWorker(const WorkerShared &shared, StepRunner &runner,
                  ArrayRef<StepId> steps,
                  const SignalCollector *signals = nullptr);

/// What becomes of a step for which startWorker() failed just now.
StepOutcome notStarted(StepId step);

} // namespace lh

#endif // LH_CORE_EXEC_WORKER_H
