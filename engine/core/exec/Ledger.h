// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps what has happened so far, and says when a result is known.
#ifndef LH_CORE_EXEC_LEDGER_H
#define LH_CORE_EXEC_LEDGER_H

#include "core/plan/RunObserver.h"
#include "core/plan/Verifier.h"

#include <set>

namespace lh {

/// The growing RunRecord of one run. Plan and observer are borrowed.
class Ledger {
public:
  Ledger(const Plan &plan, RunObserver &observer);

  void started(StepId step) { observer.stepStarted(plan.steps[step]); }

  /// Records an outcome. A step's first outcome stays. Unless it passed, all
  /// below it have ended too.
  void finished(StepOutcome outcome);

  /// Judges the results that have become ready.
  void judgeReady();
  bool hasReady() const { return !ready.empty(); }

  /// Whether a step or a result has failed so far.
  bool hasFailure() const { return anyFailed; }

  /// Judges all that is left, and gives the record away. Results whose steps
  /// were not reached are skipped when the run was `interrupted` or stopped at
  /// an earlier failure (`stopsAtFailure`), and have failed otherwise.
  RunRecord close(bool interrupted, bool stopsAtFailure);

private:
  void leafEnded(StepId leaf);
  void subtreeEnded(StepId step);
  void judge(size_t result);

  const Plan &plan;
  RunObserver &observer;
  Verifier verifier;
  RunRecord record;
  std::vector<bool> ended;                     ///< by step
  std::vector<std::vector<size_t>> waitingFor; ///< results, by leaf
  std::vector<size_t> missing;                 ///< leaves, by result
  std::vector<size_t> ready;
  std::vector<bool> judged;
  std::vector<bool> mayFail; ///< by step: its failure is announced
  bool anyFailed = false;
  /// Known once the run is over.
  std::optional<std::string> whyNotRun;
  ResultStatus notRunStatus = ResultStatus::Skipped;
};

} // namespace lh

#endif // LH_CORE_EXEC_LEDGER_H
