// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows on a terminal, or in a log, how far a run has come.
#ifndef LH_INSIGHT_REPORT_LIVEOBSERVER_H
#define LH_INSIGHT_REPORT_LIVEOBSERVER_H

#include "core/plan/RunObserver.h"

#include "core/support/VisibleText.h"

namespace lh {

/// On a terminal: one line, rewritten in place and gone at the end. Elsewhere:
/// a plain line per result. What steps print to standard error is passed on.
class LiveObserver : public RunObserver {
public:
  /// `stream` is borrowed; `width` is the terminal's, in characters.
  LiveObserver(VisibleStream &stream, bool isTerminal, unsigned width)
      : stream(stream), isTerminal(isTerminal), width(width) {}

  /// Nothing is to be compared: results have "ran", and aren't "unverified".
  void setJudgesNothing() { judgesNothing = true; }

  void runStarted(const Plan &plan) override;
  void stepStarted(const Step &step) override;
  void stepFinished(const Step &step, const StepOutcome &outcome) override;
  void resultFinished(const ResultRecord &result) override;
  void runFinished(const RunRecord &record) override;

private:
  void show(StringRef bubble);
  void clear();

  VisibleStream &stream;
  bool isTerminal;
  unsigned width;
  size_t steps = 0, stepsDone = 0, failures = 0;
  bool lineIsShown = false, judgesNothing = false;
};

} // namespace lh

#endif // LH_INSIGHT_REPORT_LIVEOBSERVER_H
