// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does steps on a module, in a worker, and says how they fail.
#include "insight/debug/FailureProbe.h"

#include "core/exec/Executor.h"
#include "core/plan/CanonicalText.h"
#include "core/plan/SubPlan.h"

using namespace lh;

static Plan chainOf(ArrayRef<Step> steps) {
  Plan plan;
  std::optional<StepId> last;
  for (const Step &step : steps)
    last = appendStep(plan, last, step);
  return plan;
}

static bool areSame(ArrayRef<Step> some, ArrayRef<Step> others) {
  if (some.size() != others.size())
    return false;
  for (size_t i = 0; i < some.size(); ++i)
    if (canonicalText(some[i]) != canonicalText(others[i]))
      return false;
  return true;
}

/// Steps are parsed once for all modules that they are tried on.
bool FailureProbe::prepare(ArrayRef<Step> steps) {
  if (runner && areSame(plan.steps, steps))
    return true;
  plan = chainOf(steps);
  runner = engine.quietRunner(scratchFolder);
  CollectingSink ignored;
  if (succeeded(runner->prepare(plan.steps, ignored)))
    return true;
  runner.reset();
  return false;
}

StepOutcome FailureProbe::run(ArrayRef<Step> steps, const Reducer &input) {
  StepOutcome last;
  if (!prepare(steps))
    return last;
  input.giveTo(runner->moduleRunner());
  ExecOptions exec;
  exec.jobs = 1;
  exec.keepGoing = true;
  exec.stepTimeoutSeconds = limits.stepTimeoutSeconds;
  exec.memoryLimitBytes = limits.memoryLimitBytes;
  exec.scratchFolder = scratchFolder;
  RunObserver nobody;
  RunRecord record = execute(plan, *runner, exec, nobody);
  interrupted |= record.interrupted;
  for (StepOutcome &outcome : record.outcomes) {
    if (outcome.status == StepStatus::NotRun)
      break;
    last = std::move(outcome);
    if (last.status != StepStatus::Passed)
      break;
  }
  return last;
}
