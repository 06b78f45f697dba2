// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one place through which every step goes.
#include "core/exec/StepWrapper.h"

#include <sys/resource.h>

using namespace lh;

double lh::secondsOfClock(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

StepOutcome lh::runStep(const Step &step, StepRunner &runner,
                        MachineLock &machine,
                        llvm::function_ref<void(const Step &)> started) {
  MachineLock::Hold hold = machine.acquire(
      StepRunner::isTimed(step) ? MachineUse::Exclusive : MachineUse::Shared);
  started(step);
  auto begin = std::chrono::steady_clock::now();
  StepOutcome outcome = runner.run(step);
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  outcome.step = step.id;
  outcome.begin = secondsOfClock(begin);
  outcome.seconds = elapsed.count();
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    outcome.peakBytes = int64_t{usage.ru_maxrss} * 1024;
  return outcome;
}
