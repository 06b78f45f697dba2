// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of runs, put in order for a page.
#include "insight/report/page/PageData.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace lh;

/// NaN is worse than everything.
static double worse(double left, double right) {
  return std::isnan(left) || left > right ? left : right;
}

void WorstErrors::add(const OutputComparison &comparison) {
  const CompareResult &result = comparison.result;
  if (!result.mismatch.empty() || !isElementwise(comparison.criterion))
    return;
  add(WorstErrors{result.maxAbs, result.maxRel, result.worstShare,
                  result.maxUlp, true});
}

void WorstErrors::add(const WorstErrors &others) {
  if (!others.wasCompared)
    return;
  absolute = worse(others.absolute, absolute);
  relative = worse(others.relative, relative);
  share = worse(others.share, share);
  ulp = std::max(others.ulp, ulp);
  wasCompared = true;
}

WorstErrors lh::worstOf(const SavedResult &result) {
  WorstErrors worst;
  for (const OutputComparison &output : result.comparisons)
    worst.add(output);
  return worst;
}

bool BubbleFigures::hasFailed() const {
  return llvm::any_of(statuses, [](const auto &entry) {
    return entry.first != StepStatus::Passed &&
           entry.first != StepStatus::NotRun &&
           entry.first != StepStatus::NotApplicable;
  });
}

PageData::PageData(std::vector<SavedRun> given) : runs(std::move(given)) {
  addBubbles();
  addTimes();
  addResults();
}

void PageData::addBubbles() {
  // Oracles last, else as they first appear.
  std::map<std::pair<std::string, std::string>, size_t> numbers;
  for (bool isOracle : {false, true})
    for (const SavedRun &run : runs)
      for (const SavedStep &step : run.steps) {
        if (StringRef(step.bubble).starts_with("oracle/") != isOracle)
          continue;
        auto [known, isNew] =
            numbers.try_emplace({run.manifest, step.bubble}, bubbles.size());
        if (!isNew)
          continue;
        BubbleFigures figures;
        figures.name = step.bubble;
        figures.manifest = run.manifest;
        bubbles.push_back(std::move(figures));
      }
  bubbleOf.resize(runs.size());
  for (size_t run = 0; run < runs.size(); ++run)
    for (StepId id = 0; id < runs[run].steps.size(); ++id) {
      const SavedStep &step = runs[run].steps[id];
      size_t number = numbers.at({runs[run].manifest, step.bubble});
      bubbleOf[run].push_back(number);
      bubbles[number].steps.push_back({run, id});
    }
}

void PageData::addTimes() {
  for (BubbleFigures &bubble : bubbles) {
    std::vector<double> times;
    for (const StepPlace &place : bubble.steps) {
      const SavedStep &one = step(place);
      ++bubble.statuses[one.status];
      bubble.peakBytes = std::max(bubble.peakBytes, one.peakBytes);
      if (one.status == StepStatus::NotRun)
        continue;
      bubble.totalSeconds += one.seconds;
      times.push_back(one.seconds);
    }
    if (times.empty())
      continue;
    llvm::sort(times);
    bubble.medianSeconds = quantile(times, 0.5);
    bubble.maxSeconds = times.back();
  }
}

void PageData::addResults() {
  for (size_t run = 0; run < runs.size(); ++run)
    for (size_t index = 0; index < runs[run].results.size(); ++index) {
      results.push_back({run, index});
      const SavedResult &result = runs[run].results[index];
      WorstErrors worst = worstOf(result);
      std::set<size_t> passed;
      for (StepId step : result.steps)
        passed.insert(bubbleOf[run][step]);
      for (size_t number : passed) {
        BubbleFigures &bubble = bubbles[number];
        ++bubble.results[result.status];
        bubble.resultNumbers.push_back(results.size() - 1);
        bubble.worst.add(worst);
        bubble.pipelines.insert(result.key.pipeline);
        bubble.targets.insert(result.key.target);
      }
    }
}

double PageData::compileSeconds(size_t number) const {
  double seconds = 0;
  const ResultPlace &place = results[number];
  for (StepId id : result(number).steps) {
    const SavedStep &one = step({place.run, id});
    bool runsCode =
        one.action && runs[place.run].actions[*one.action].kind == "run";
    if (!runsCode)
      seconds += one.seconds;
  }
  return seconds;
}
