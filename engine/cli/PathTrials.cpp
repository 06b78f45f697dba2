// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs variants of one pipeline beside it: right or wrong, and how fast.
#include "cli/PathTrials.h"

#include "cli/LogObserver.h"
#include "core/plan/Select.h"
#include "core/plan/SubPlan.h"
#include "core/plan/Verifier.h"
#include "insight/report/Summary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <set>
#include <unistd.h>

using namespace lh;

/// A trial may take this many times as long as the full pipeline's slowest
/// step, and as many seconds more: a module that got worse takes longer to
/// compile, and what takes for ever is to end.
static constexpr double patience = 10, leastPatience = 60;

PathTrials::PathTrials(const ManifestRunOptions &run, DriverEnv &env,
                       SourceStore &sources, StreamSink &sink)
    : options(run), env(env), sources(sources), sink(sink) {
  // What else ran meanwhile would be in the clocks' times.
  options.jobs = 1;
  options.keepGoing = true;
}

/// One name of each, or how many there are.
std::string PathTrials::whyAmbiguous(StringRef what) const {
  std::set<std::string> pipelines, cases, targets;
  for (const PlannedResult &result : full.plan.results) {
    pipelines.insert(result.key.pipeline);
    cases.insert(result.key.caseName);
    targets.insert(result.key.target);
  }
  for (const auto &[kind, names] :
       {std::pair("pipeline", &pipelines), std::pair("case", &cases),
        std::pair("target", &targets)})
    if (names->size() > 1)
      return what.str() + " one pipeline on one case and target; --" +
             std::string(kind) + " picks '" + llvm::join(*names, "', '") + "'";
  return "";
}

Engine::Options PathTrials::engineOptions() {
  Engine::Options engine;
  engine.cache.emplace().folder = cacheFolder.path();
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

LogicalResult PathTrials::setUp(const Engine::Options &engine, StringRef what) {
  if (!cacheFolder.isUsable())
    return sink.error(DiagKind::SupportCannotWrite, {},
                      "cannot make a temporary folder; is TMPDIR right?");
  FailureOr<RunSetup> made =
      setUpRun(options.graph, engine, sources, env, sink);
  if (failed(made))
    return failure();
  setup = std::move(*made);
  if (adapt)
    adapt(setup->graph);
  // `repeat` is of another way to time: a run by itself.
  setRepeat(setup->graph, 0);
  threads = mostThreads(setup->graph);
  selection = selectionFor(options);
  restrictToOneCase(setup->graph, selection);
  if (selection.pipelines.empty() && !setup->graph.pipelines.empty())
    selection.pipelines = {setup->graph.pipelines.front().name};
  FailureOr<Plan> plan = setup->plan(selection, env, sink);
  if (failed(plan))
    return failure();
  full.plan = std::move(*plan);
  std::string why = whyAmbiguous(what);
  if (why.empty())
    return success();
  env.err << "lh-run: " << why << '\n';
  return failure();
}

bool PathTrials::cannotRun() const {
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
bool PathTrials::hasClock() const {
  PlanHost host = planHostOf(*setup->engine, env);
  const std::string &name = full.plan.results.front().key.target;
  for (const TargetSpec &target : setup->graph.targets)
    if (target.name == name)
      return runsNatively(target, host) &&
             setup->engine->backends().deviceLabel(target).empty();
  return true; // the host's, of a manifest without targets
}

bool PathTrials::isMeasured(size_t result) const {
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

void PathTrials::runFull() {
  seats.emplace(core); // none is reserved
  RunProgress progress(options.verbose, env);
  full = setup->run(full.plan, options, progress.observer());
  interrupted = full.interrupted;
  double slowest = 0;
  for (const StepOutcome &outcome : full.outcomes)
    slowest = std::max(slowest, outcome.seconds);
  if (options.stepTimeout <= 0)
    options.stepTimeout = leastPatience + patience * slowest;
  if (options.memoryLimitMiB == 0)
    options.memoryLimitMiB = memoryLimit(full.outcomes) >> 20;
  for (size_t i = 0; i < full.results.size(); ++i)
    if (full.results[i].status == ResultStatus::Passed)
      tested.push_back(i);
}

/// Runs what leads to `leaves`; from the full pipeline nothing is learnt twice.
LogicalResult PathTrials::runSteps(ArrayRef<StepId> leaves) {
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
PathTrials::Heat
PathTrials::run(ArrayRef<size_t> results, const MeasureOptions &measuring,
                llvm::function_ref<bool(size_t)> isWorthATurn) {
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
  for (size_t result : results)
    if (isWorthATurn && !isWorthATurn(result))
      seats->free(full.plan.results[result].leaf);
  if (clocks && !interrupted)
    heat.measured = measure(heat.run, *seats, limited(measuring),
                            setup->engine->host(), {core, threads});
  interrupted |= heat.measured.interrupted;
  return heat;
}

/// How its path breaks; nothing where it runs.
std::optional<std::string> PathTrials::failureOf(size_t result) const {
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

double PathTrials::compileSeconds(size_t result) const {
  double seconds = 0;
  for (StepId step : full.plan.pathTo(full.plan.results[result].leaf))
    if (!std::holds_alternative<RunAction>(full.plan.steps[step].action))
      seconds += full.outcomes[step].seconds;
  return seconds;
}

const BenchRow *lh::rowOf(const BenchRecord &measured, StringRef pipeline) {
  for (const BenchGroup &group : measured.groups)
    for (const BenchRow &row : group.rows)
      if (row.key.pipeline == pipeline)
        return &row;
  return nullptr;
}

/// They are judged, and may be large.
void PathTrials::dropOutputs(ArrayRef<size_t> results) {
  for (size_t result : results)
    for (const OutputFile &output :
         full.outcomes[full.plan.results[result].leaf].outputs)
      llvm::sys::fs::remove(output.path);
}
