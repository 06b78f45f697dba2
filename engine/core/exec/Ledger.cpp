// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps what has happened so far, and says when a result is known.
#include "core/exec/Ledger.h"

#include "core/plan/Expectation.h"

#include <utility>

using namespace lh;

Ledger::Ledger(const Plan &plan, RunObserver &observer)
    : plan(plan), observer(observer), verifier(plan),
      ended(plan.steps.size(), false), waitingFor(plan.steps.size()),
      missing(plan.results.size(), 0), judged(plan.results.size(), false),
      mayFail(stepsExpectedToFail(plan)) {
  record.plan = plan;
  record.outcomes.resize(plan.steps.size());
  for (size_t step = 0; step < plan.steps.size(); ++step)
    record.outcomes[step].step = step;
  record.results.resize(plan.results.size());
  for (size_t result = 0; result < plan.results.size(); ++result) {
    std::vector<StepId> leaves = verifier.neededLeaves(result);
    std::set<StepId> distinct(leaves.begin(), leaves.end());
    missing[result] = distinct.size();
    for (StepId leaf : distinct)
      waitingFor[leaf].push_back(result);
    if (distinct.empty())
      ready.push_back(result);
  }
}

void Ledger::finished(StepOutcome outcome) {
  StepId step = outcome.step;
  if (step >= ended.size() || ended[step])
    return;
  bool passed = outcome.status == StepStatus::Passed;
  anyFailed |=
      !passed && outcome.status != StepStatus::NotApplicable && !mayFail[step];
  record.outcomes[step] = std::move(outcome);
  observer.stepFinished(plan.steps[step], record.outcomes[step]);
  ended[step] = true;
  leafEnded(step);
  if (!passed)
    for (StepId child : plan.steps[step].children)
      subtreeEnded(child);
}

/// What can't be reached any more has ended without running.
void Ledger::subtreeEnded(StepId step) {
  if (ended[step])
    return;
  ended[step] = true;
  leafEnded(step);
  for (StepId child : plan.steps[step].children)
    subtreeEnded(child);
}

void Ledger::leafEnded(StepId leaf) {
  for (size_t result : waitingFor[leaf])
    if (--missing[result] == 0)
      ready.push_back(result);
}

void Ledger::judge(size_t result) {
  if (judged[result])
    return;
  judged[result] = true;
  ResultRecord verdict = verifier.verify(result, record.outcomes);
  applyExpectedFailures(plan, result, record.outcomes, verdict);
  if (verdict.status == ResultStatus::Skipped && whyNotRun)
    if (plan.results[result].skipped.empty()) {
      verdict.reason += *whyNotRun;
      verdict.status = notRunStatus;
    }
  anyFailed |= verdict.status == ResultStatus::Failed;
  record.results[result] = std::move(verdict);
  observer.resultFinished(record.results[result]);
}

void Ledger::judgeReady() {
  for (size_t result : std::exchange(ready, {}))
    judge(result);
}

RunRecord Ledger::close(bool interrupted, bool stopsAtFailure) {
  if (interrupted) {
    whyNotRun = ": the run was interrupted";
  } else if (anyFailed && stopsAtFailure) {
    whyNotRun = ": an earlier case failed (--keep-going runs all)";
  } else {
    whyNotRun = ": its worker process ended early";
    notRunStatus = ResultStatus::Failed;
  }
  for (size_t result = 0; result < plan.results.size(); ++result)
    judge(result);
  if (!interrupted)
    reportUnexpectedPasses(record);
  record.interrupted = interrupted;
  return std::move(record);
}
