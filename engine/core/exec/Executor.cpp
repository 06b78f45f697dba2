// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a plan in worker processes, or in this one.
#include "core/exec/Executor.h"

#include "core/exec/Coordinator.h"
#include "core/exec/StepWrapper.h"
#include "core/support/Descendants.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

using namespace lh;

namespace {

/// Walks the tree in this process, with saved states in place of forks.
class InProcessWalk {
public:
  InProcessWalk(const Plan &plan, StepRunner &runner,
                const ExecOptions &options, Ledger &ledger)
      : plan(plan), runner(runner), options(options), ledger(ledger),
        beginsCase(stepsThatBeginCases(plan)) {}

  void runSiblings(ArrayRef<StepId> steps) {
    std::unique_ptr<StepRunner::SavedState> state;
    if (steps.size() > 1)
      state = runner.save();
    for (size_t i = 0; i < steps.size(); ++i) {
      if (i > 0)
        runner.restore(*state);
      if (!(beginsCase[steps[i]] && ledger.hasFailure() && !options.keepGoing))
        runSubtree(steps[i]);
    }
  }

private:
  void runSubtree(StepId id) {
    StepOutcome outcome =
        runStep(plan.steps[id], runner, machine,
                [&](const Step &step) { ledger.started(step.id); });
    bool passed = outcome.status == StepStatus::Passed;
    ledger.finished(std::move(outcome));
    ledger.judgeReady();
    if (passed)
      runSiblings(plan.steps[id].children);
  }

  const Plan &plan;
  StepRunner &runner;
  const ExecOptions &options;
  Ledger &ledger;
  MachineLock machine{""};
  std::vector<bool> beginsCase;
};

} // namespace

/// From the clock that all processes share to seconds after the run's begin.
static void countFrom(double origin, RunRecord &record) {
  for (StepOutcome &outcome : record.outcomes)
    outcome.begin = std::max(outcome.begin - origin, 0.0);
}

RunRecord lh::execute(const Plan &plan, StepRunner &runner,
                      const ExecOptions &options, RunObserver &observer) {
  auto begin = std::chrono::steady_clock::now();
  observer.runStarted(plan);
  Ledger ledger(plan, observer);
  bool interrupted = false;
  if (options.inProcess) {
    InProcessWalk(plan, runner, options, ledger).runSiblings(plan.roots);
    removeSharedMemory(getpid());
  } else {
    interrupted = coordinate(plan, runner, options, ledger);
  }
  ledger.judgeReady();
  RunRecord record = ledger.close(interrupted, !options.keepGoing);
  double origin = secondsOfClock(begin);
  record.seconds = secondsOfClock(std::chrono::steady_clock::now()) - origin;
  countFrom(origin, record);
  observer.runFinished(record);
  return record;
}
