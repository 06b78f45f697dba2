// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of runs, put in order for a page.
#ifndef LH_INSIGHT_REPORT_PAGE_PAGEDATA_H
#define LH_INSIGHT_REPORT_PAGE_PAGEDATA_H

#include "insight/report/SavedRun.h"

#include <set>

namespace lh {

/// One step of one of the page's runs.
struct StepPlace {
  size_t run = 0;
  StepId step = 0;
};

/// The largest errors among some results. All zero when nothing was compared.
struct WorstErrors {
  double absolute = 0, relative = 0;
  double share = 0; ///< of what was allowed; above 1: not passed
  int64_t ulp = 0;
  bool wasCompared = false;

  void add(const OutputComparison &comparison);
  void add(const WorstErrors &others);
};

/// What all steps of one bubble come to, and all results whose paths pass it.
struct BubbleFigures {
  std::string name, manifest;
  std::vector<StepPlace> steps; ///< in the order of the plan
  std::map<StepStatus, size_t> statuses;
  double totalSeconds = 0, medianSeconds = 0, maxSeconds = 0;
  int64_t peakBytes = 0;
  std::map<ResultStatus, size_t> results;
  WorstErrors worst;
  std::set<std::string> pipelines, targets;
  std::vector<size_t> resultNumbers; ///< ascending

  bool hasFailed() const;
  /// The engine's own, to compare with.
  bool isOracle() const { return StringRef(name).starts_with("oracle/"); }
};

/// One result of one of the page's runs.
struct ResultPlace {
  size_t run = 0, index = 0;
};

struct PageData {
  std::vector<SavedRun> runs;
  std::vector<BubbleFigures> bubbles; ///< as they come first; oracles last
  std::vector<std::vector<size_t>> bubbleOf; ///< by run and step
  std::vector<ResultPlace> results;          ///< of all runs

  explicit PageData(std::vector<SavedRun> runs);

  const SavedStep &step(const StepPlace &place) const {
    return runs[place.run].steps[place.step];
  }
  const SavedResult &result(size_t number) const {
    return runs[results[number].run].results[results[number].index];
  }
  /// Steps besides the runs of code.
  double compileSeconds(size_t result) const;

private:
  void addBubbles();
  void addResults();
  void addTimes();
};

WorstErrors worstOf(const SavedResult &result);

} // namespace lh

#endif // LH_INSIGHT_REPORT_PAGE_PAGEDATA_H
