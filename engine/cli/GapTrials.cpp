// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a pipeline without some of its gaps, beside the full one.
#include "cli/GapTrials.h"

#include "cli/LogObserver.h"
#include "core/plan/LeaveOut.h"
#include "core/plan/Select.h"
#include "core/plan/SubPlan.h"
#include "core/plan/Verifier.h"
#include "core/support/Version.h"
#include "insight/report/LostWork.h"
#include "insight/report/Summary.h"
#include "insight/report/TerminalReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <unistd.h>

using namespace lh;

/// More than this doesn't come from where code and buffers happen to lie: a
/// factor of 2 has.
static constexpr double sureSlowdown = 4;

GapTrials::GapTrials(const ManifestRunOptions &run,
                     const MeasureOptions &measure, DriverEnv &env,
                     SourceStore &sources, StreamSink &sink)
    : trials(run, env, sources, sink), measuring(measure) {}

LogicalResult GapTrials::setUp() {
  Engine::Options engine = trials.engineOptions();
  engine.runner.profiles = true;
  engine.runner.module.weighsNodes = true;
  engine.runner.module.watchesGaps = true;
  return trials.setUp(engine, "gaps are left out of");
}

LogicalResult GapTrials::runFull() {
  trials.runFull();
  for (const StepOutcome &outcome : full.outcomes)
    usedGaps.insert(outcome.gaps.begin(), outcome.gaps.end());
  // Without gaps there is nothing to hold against anything.
  if (summarize(full).failed == 0 && !trials.interrupted &&
      (!trials.tested.empty() || usedGaps.empty()))
    return success();
  printReport(full, trials.env.out, trials.sink);
  return trials.interrupted ? failure() : refuse();
}

LogicalResult GapTrials::refuse() {
  const std::string &name = full.plan.results.front().key.pipeline;
  const ResolvedPipeline &pipeline = *llvm::find_if(
      trials.setup->graph.pipelines,
      [&](const ResolvedPipeline &each) { return each.name == name; });
  return trials.sink.error(
      DiagKind::DriverNoSoundPath, pipeline.declaredAt,
      "the results of '" + name + "' " +
          (summarize(full).failed > 0
               ? "are wrong with all gaps, so that nothing can be said of "
                 "those; mend it first"
               : "are compared with nothing, so that a gap can't be seen to "
                 "spoil them; 'verify: {against: [oracle]}' compares them"));
}

/// What it does to one that runs and is right: by its time.
static void addTime(const BenchRow *row, GapTrial &trial) {
  if (!row) {
    trial.reason = "it runs emulated or simulated, and has no time";
    return;
  }
  if (!row->whyNot.empty() || !row->ratio) {
    // What was right once is wrong or gone when it is called again.
    if (row->failed)
      trial.worth = GapWorth::Wrong;
    trial.reason =
        row->whyNot.empty() ? "too few turns were undisturbed" : row->whyNot;
    return;
  }
  trial.slowdown = slowdownOf(*row->ratio);
  trial.worth = worthOf(*trial.slowdown);
}

GapTrial GapTrials::judged(ArrayRef<size_t> results,
                           const PathTrials::Heat &heat) const {
  GapTrial trial;
  trial.compileSeconds = trials.compileSeconds(results.front());
  for (size_t result : results) {
    std::optional<std::string> failure = trials.failureOf(result);
    if (!failure)
      continue;
    trial.worth = GapWorth::Breaks;
    trial.reason = *failure;
    return trial;
  }
  for (const ResultRecord &record :
       ArrayRef(heat.run.results).take_back(results.size())) {
    if (record.status != ResultStatus::Failed)
      continue;
    trial.worth = GapWorth::Wrong;
    trial.reason = record.reason;
    return trial;
  }
  addTime(rowOf(heat.measured, full.plan.results[results.front()].key.pipeline),
          trial);
  return trial;
}

GapTrials::Attempt GapTrials::attempt(StringRef name,
                                      ArrayRef<std::string> gaps) {
  std::string pipeline = ("without " + name).str();
  for (const PlannedResult &result : full.plan.results)
    if (result.key.pipeline == pipeline)
      pipeline += " again";
  std::vector<size_t> results =
      addWithout(full.plan, trials.tested, pipeline, gaps, [&](StepId step) {
        return llvm::any_of(full.outcomes[step].gaps, [&](const auto &used) {
          return llvm::is_contained(gaps, used);
        });
      });
  full.outcomes.resize(full.plan.steps.size());
  measuring.vs = full.plan.results[trials.tested.front()].key.pipeline;
  PathTrials::Heat heat = trials.run(results, measuring);
  Attempt made;
  made.trial = judged(results, heat);
  trials.dropOutputs(results);
  if (const BenchRow *row = rowOf(heat.measured, measuring.vs);
      row && row->whyNot.empty())
    fullSeconds = row->seconds.median;
  for (ProfiledResult &profile : profiledResults(heat.run, heat.measured))
    (profile.key.pipeline == pipeline ? made.now : made.before) =
        std::move(profile);
  return made;
}

GapTrial GapTrials::leaveOut(std::string name, std::vector<std::string> gaps) {
  auto [trial, before, now] = attempt(name, gaps);
  std::optional<Slowdown> &slowdown = trial.slowdown;
  trial.name = std::move(name);
  trial.leftOut = std::move(gaps);
  if (slowdown && slowdown->times < sureSlowdown && !trials.interrupted) {
    GapTrial again = attempt(trial.name, trial.leftOut).trial;
    double first = slowdown->times;
    if (again.slowdown)
      slowdown = ofBoth(*slowdown, *again.slowdown);
    trial.worth = worthOf(*slowdown);
    if (again.worth == GapWorth::Breaks || again.worth == GapWorth::Wrong) {
      trial.worth = again.worth;
      trial.reason = again.reason;
      slowdown.reset();
      return trial;
    }
    // Its nodes take their shares of the time that counts.
    if (now)
      for (ProfiledNode &node : now->nodes)
        node.seconds *= slowdown->times / first;
  }
  StepId imported =
      full.plan.pathTo(full.plan.results[trials.tested.front()].leaf).front();
  if (before && now && slowdown)
    trial.lostWork = lostWork(full.outcomes[imported].nodes, *before, *now);
  return trial;
}

GapRecord GapTrials::record() const {
  GapRecord record;
  const ResultKey &key = full.plan.results.front().key;
  record.manifest = full.plan.manifest;
  record.pipeline = key.pipeline;
  record.target = key.target;
  record.caseName = key.caseName;
  record.cpu = trials.setup->engine->host().cpu;
  record.llvm = versions().at("LLVM");
  record.limitSeconds = measuring.timeLimit;
  record.stepSeconds = trials.options.stepTimeout;
  record.seconds = fullSeconds;
  if (!trials.tested.empty())
    record.compileSeconds = trials.compileSeconds(trials.tested.front());
  record.interrupted = trials.interrupted;
  return record;
}
