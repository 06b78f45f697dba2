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

/// A trial may take this many times as long as the full pipeline's slowest
/// step, and as many seconds more: a module that got worse takes longer to
/// compile, and what takes for ever is to end.
static constexpr double patience = 10, leastPatience = 60;

/// More than this doesn't come from where code and buffers happen to lie: a
/// factor of 2 has.
static constexpr double sureSlowdown = 4;

GapTrials::GapTrials(const ManifestRunOptions &run,
                     const MeasureOptions &measure, DriverEnv &env,
                     SourceStore &sources, StreamSink &sink)
    : options(run), measuring(measure), env(env), sources(sources), sink(sink) {
  // What else ran meanwhile would be in the clocks' times.
  options.jobs = 1;
  options.keepGoing = true;
}

/// One name of each, or how many there are.
std::string GapTrials::whyAmbiguous() const {
  std::set<std::string> pipelines, cases, targets;
  for (const PlannedResult &result : full.plan.results) {
    pipelines.insert(result.key.pipeline);
    cases.insert(result.key.caseName);
    targets.insert(result.key.target);
  }
  for (const auto &[what, names] :
       {std::pair("pipeline", &pipelines), std::pair("case", &cases),
        std::pair("target", &targets)})
    if (names->size() > 1)
      return "gaps are left out of one pipeline on one case and target; --" +
             std::string(what) + " picks '" + llvm::join(*names, "', '") + "'";
  return "";
}

Engine::Options GapTrials::engineOptions() {
  Engine::Options engine;
  engine.cache.emplace().folder = cacheFolder.path();
  engine.runner.profiles = true;
  engine.runner.module.weighsNodes = true;
  engine.runner.module.watchesGaps = true;
  engine.runner.afterRun = [this](const Step &step, Executable &executable,
                                  ArrayRef<NamedTensor> inputs,
                                  ArrayRef<NamedTensor> outputs) {
    seats->takeAfterRun(step, executable, inputs, outputs);
  };
  engine.runner.beforeRun = [this](const Step &step, Executable &executable,
                                   ArrayRef<NamedTensor> inputs) {
    seats->takeBeforeRun(step, executable, inputs, setup->scratch->path());
  };
  return engine;
}

LogicalResult GapTrials::setUp() {
  if (!cacheFolder.isUsable())
    return sink.error(DiagKind::SupportCannotWrite, {},
                      "cannot make a temporary folder; is TMPDIR right?");
  FailureOr<RunSetup> made =
      setUpRun(options.graph, engineOptions(), sources, env, sink);
  if (failed(made))
    return failure();
  setup = std::move(*made);
  // `repeat` is of another way to time: a run by itself.
  setRepeat(setup->graph, 0);
  threads = mostThreads(setup->graph);
  Selection selection = selectionFor(options);
  restrictToOneCase(setup->graph, selection);
  if (selection.pipelines.empty() && !setup->graph.pipelines.empty())
    selection.pipelines = {setup->graph.pipelines.front().name};
  FailureOr<Plan> plan = setup->plan(selection, env, sink);
  if (failed(plan))
    return failure();
  full.plan = std::move(*plan);
  std::string why = whyAmbiguous();
  if (why.empty())
    return success();
  env.err << "lh-run: " << why << '\n';
  return failure();
}

bool GapTrials::cannotRun() const {
  for (const PlannedResult &result : full.plan.results)
    if (result.skipped.empty() && result.notApplicable.empty())
      return false;
  for (const PlannedResult &result : full.plan.results)
    env.err << "lh-run: " << resultName(result.key) << ": "
            << (result.skipped.empty() ? result.notApplicable : result.skipped)
            << '\n';
  return true;
}

/// Emulated and simulated code runs, but its time says nothing.
bool GapTrials::hasClock() const {
  PlanHost host = planHostOf(*setup->engine, env);
  const std::string &name = full.plan.results.front().key.target;
  for (const TargetSpec &target : setup->graph.targets)
    if (target.name == name)
      return runsNatively(target, host) &&
             setup->engine->backends().deviceLabel(target).empty();
  return true; // the host's, of a manifest without targets
}

bool GapTrials::isMeasured(size_t result) const {
  return isMeasurable(full.plan, full.plan.results[result]);
}

/// Half of this machine's, so that a module that explodes ends itself alone;
/// but twice what the full pipeline took.
static uint64_t memoryLimit(ArrayRef<StepOutcome> outcomes) {
  auto all = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
             static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t limit = all / 2;
  for (const StepOutcome &outcome : outcomes)
    limit = std::max(limit, 2 * static_cast<uint64_t>(outcome.peakBytes));
  return limit;
}

LogicalResult GapTrials::runFull() {
  seats.emplace(core); // none is reserved
  RunProgress progress(options.verbose, env);
  full = setup->run(full.plan, options, progress.observer());
  interrupted = full.interrupted;
  double slowest = 0;
  for (const StepOutcome &outcome : full.outcomes) {
    slowest = std::max(slowest, outcome.seconds);
    usedGaps.insert(outcome.gaps.begin(), outcome.gaps.end());
  }
  if (options.stepTimeout <= 0)
    options.stepTimeout = leastPatience + patience * slowest;
  measuring.stepTimeout = options.stepTimeout;
  if (options.memoryLimitMiB == 0)
    options.memoryLimitMiB = memoryLimit(full.outcomes) >> 20;
  for (size_t i = 0; i < full.results.size(); ++i)
    if (full.results[i].status == ResultStatus::Passed)
      tested.push_back(i);
  // Without gaps there is nothing to hold against anything.
  if (summarize(full).failed == 0 && !interrupted &&
      (!tested.empty() || usedGaps.empty()))
    return success();
  printReport(full, env.out, sink);
  return interrupted ? failure() : refuse();
}

LogicalResult GapTrials::refuse() {
  const std::string &name = full.plan.results.front().key.pipeline;
  const ResolvedPipeline &pipeline =
      *llvm::find_if(setup->graph.pipelines, [&](const ResolvedPipeline &each) {
        return each.name == name;
      });
  return sink.error(
      DiagKind::DriverNoSoundPath, pipeline.declaredAt,
      "the results of '" + name + "' " +
          (summarize(full).failed > 0
               ? "are wrong with all gaps, so that nothing can be said of "
                 "those; mend it first"
               : "are compared with nothing, so that a gap can't be seen to "
                 "spoil them; 'verify: {against: [oracle]}' compares them"));
}

/// Runs what leads to `leaves`; from the full pipeline nothing is learnt twice.
LogicalResult GapTrials::runSteps(ArrayRef<StepId> leaves) {
  std::set<StepId> known;
  for (const StepOutcome &outcome : full.outcomes)
    if (outcome.status != StepStatus::NotRun)
      known.insert(outcome.step);
  Plan part = restrictedTo(full.plan, leaves);
  if (failed(setup->engine->runner().prepare(setup->engine->useCache(part, env),
                                             sink)))
    return failure();
  RunProgress progress(options.verbose, env);
  RunRecord ran = setup->run(part, options, progress.observer());
  interrupted |= ran.interrupted;
  llvm::erase_if(ran.outcomes, [&](const StepOutcome &outcome) {
    return known.count(outcome.step) != 0;
  });
  full.outcomes.resize(full.plan.steps.size());
  mergeOutcomes(full.outcomes, std::move(ran.outcomes));
  return success();
}

/// `results` beside the full pipeline's.
GapTrials::Heat GapTrials::run(ArrayRef<size_t> results) {
  Heat heat;
  Plan &shown = heat.run.plan;
  std::vector<StepId> leaves;
  std::vector<size_t> both;
  bool clocks = hasClock();
  for (size_t result : tested)
    if (clocks && isMeasured(result))
      both.push_back(result);
  llvm::append_range(both, results);
  shown = restrictedTo(full.plan, {});
  for (size_t result : both) {
    leaves.push_back(full.plan.results[result].leaf);
    shown.results.push_back(full.plan.results[result]);
  }
  seats.emplace(core);
  seats->useCores(threads);
  if (clocks)
    (void)seats->reserve(shown, {}, {}); // so few that there is room
  if (failed(runSteps(leaves)))
    return heat;
  Verifier verifier(full.plan);
  for (size_t result : both)
    heat.run.results.push_back(result < full.results.size()
                                   ? full.results[result]
                                   : verifier.verify(result, full.outcomes));
  heat.run.outcomes = full.outcomes;
  if (clocks && !interrupted)
    heat.measured = measure(heat.run, *seats, measuring, setup->engine->host(),
                            {core, threads});
  interrupted |= heat.measured.interrupted;
  return heat;
}

/// How its path breaks; nothing where it runs.
std::optional<std::string> GapTrials::failureOf(size_t result) const {
  for (StepId step : full.plan.pathTo(full.plan.results[result].leaf)) {
    const StepOutcome &outcome = full.outcomes[step];
    if (outcome.status == StepStatus::Passed ||
        outcome.status == StepStatus::NotApplicable)
      continue;
    std::string bubble = "'" + full.plan.steps[step].bubble + "'";
    return outcome.reason.empty()
               ? bubble + " " + enumName(outcome.status).str()
               : bubble + ": " + outcome.reason;
  }
  return std::nullopt;
}

double GapTrials::compileSeconds(size_t result) const {
  double seconds = 0;
  for (StepId step : full.plan.pathTo(full.plan.results[result].leaf))
    if (!std::holds_alternative<RunAction>(full.plan.steps[step].action))
      seconds += full.outcomes[step].seconds;
  return seconds;
}

static const BenchRow *rowOf(const BenchRecord &measured, StringRef pipeline) {
  for (const BenchGroup &group : measured.groups)
    for (const BenchRow &row : group.rows)
      if (row.key.pipeline == pipeline)
        return &row;
  return nullptr;
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

GapTrial GapTrials::judged(ArrayRef<size_t> results, const Heat &heat) const {
  GapTrial trial;
  trial.compileSeconds = compileSeconds(results.front());
  for (size_t result : results) {
    std::optional<std::string> failure = failureOf(result);
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

/// They are judged, and may be large.
void GapTrials::dropOutputs(ArrayRef<size_t> results) {
  for (size_t result : results)
    for (const OutputFile &output :
         full.outcomes[full.plan.results[result].leaf].outputs)
      llvm::sys::fs::remove(output.path);
}

GapTrials::Attempt GapTrials::attempt(StringRef name,
                                      ArrayRef<std::string> gaps) {
  std::string pipeline = ("without " + name).str();
  for (const PlannedResult &result : full.plan.results)
    if (result.key.pipeline == pipeline)
      pipeline += " again";
  std::vector<size_t> results =
      addWithout(full.plan, tested, pipeline, gaps, [&](StepId step) {
        return llvm::any_of(full.outcomes[step].gaps, [&](const auto &used) {
          return llvm::is_contained(gaps, used);
        });
      });
  full.outcomes.resize(full.plan.steps.size());
  measuring.vs = full.plan.results[tested.front()].key.pipeline;
  Heat heat = run(results);
  Attempt made;
  made.trial = judged(results, heat);
  dropOutputs(results);
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
  if (slowdown && slowdown->times < sureSlowdown && !interrupted) {
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
      full.plan.pathTo(full.plan.results[tested.front()].leaf).front();
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
  record.cpu = setup->engine->host().cpu;
  record.llvm = versions().at("LLVM");
  record.limitSeconds = measuring.timeLimit;
  record.stepSeconds = options.stepTimeout;
  record.seconds = fullSeconds;
  if (!tested.empty())
    record.compileSeconds = compileSeconds(tested.front());
  record.interrupted = interrupted;
  return record;
}
