// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows on a terminal, or in a log, how far a run has come.
#include "insight/report/LiveObserver.h"

#include "insight/report/Summary.h"

#include <algorithm>

using namespace lh;

void LiveObserver::clear() {
  if (!lineIsShown)
    return;
  stream.eraseLine();
  lineIsShown = false;
}

void LiveObserver::show(StringRef bubble) {
  if (!isTerminal || width < 2)
    return;
  std::string line = ("[" + Twine(stepsDone) + "/" + Twine(steps) + "] " +
                      (failures ? Twine(failures) + " failed, " : Twine()) +
                      visibleLine(bubble))
                         .str();
  // The last column stays free: some terminals wrap when it is written.
  line.resize(std::min<size_t>(line.size(), width - 1));
  clear();
  stream << line;
  stream.flush();
  lineIsShown = true;
}

void LiveObserver::runStarted(const Plan &plan) { steps = plan.steps.size(); }

void LiveObserver::stepStarted(const Step &step) { show(step.bubble); }

void LiveObserver::stepFinished(const Step &step, const StepOutcome &outcome) {
  ++stepsDone;
  if (!outcome.log.empty()) {
    clear();
    stream << outcome.log;
    if (outcome.log.back() != '\n')
      stream << '\n';
    stream.flush();
  }
  show(step.bubble);
}

void LiveObserver::resultFinished(const ResultRecord &result) {
  failures += result.status == ResultStatus::Failed;
  if (isTerminal || result.status == ResultStatus::NotApplicable)
    return;
  bool isUnjudged = judgesNothing && result.status == ResultStatus::Unverified;
  stream << (isUnjudged ? StringRef("ran") : enumName(result.status)) << ": "
         << resultName(result.key) << '\n';
  stream.flush();
}

void LiveObserver::runFinished(const RunRecord &) { clear(); }
