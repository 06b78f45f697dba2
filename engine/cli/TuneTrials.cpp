// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tries choices of a pipeline's sites: a pipeline for each, beside the default.
#include "cli/TuneTrials.h"

#include "cli/TuneDispatch.h"

#include "core/manifest/ManifestText.h"
#include "core/support/Hash.h"
#include "core/support/Version.h"
#include "insight/report/Summary.h"
#include "insight/report/TerminalReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace lh;

/// Runs one module on drawn inputs in place of the cases.
static void useModule(ResolvedGraph &graph, const std::string &file) {
  for (ResolvedBubble &bubble : graph.bubbles)
    if (auto *ingress = std::get_if<IngressDecl>(&bubble.action)) {
      ingress->kind = IngressKind::Mlir;
      ingress->shapesFromCase = false;
      ingress->model = literal(file);
    }
  GenerateCase generate;
  generate.model = literal(file);
  generate.seed = 1;
  generate.sets = {InputSet::Drawn};
  generate.draws = 1;
  CaseDecl only;
  only.name.value = "group";
  only.source = std::move(generate);
  graph.cases = {std::move(only)};
}

TuneTrials::TuneTrials(const ManifestRunOptions &run, std::string module,
                       DriverEnv &env, SourceStore &sources, StreamSink &sink)
    : paths(run, env, sources, sink), moduleFile(module) {
  paths.options.jobs = run.jobs; // nothing is timed while steps run
  if (module.empty())
    return;
  // They are the whole model's.
  paths.options.graph.cases.clear();
  paths.options.graph.models.clear();
  paths.options.inputs.clear();
  paths.adapt = [module = std::move(module)](ResolvedGraph &graph) {
    useModule(graph, module);
  };
}

std::optional<int> TuneTrials::begin() {
  Engine::Options engine = paths.engineOptions();
  engine.runner.module.listsCandidates = true;
  engine.runner.hashesCode = true;
  if (failed(paths.setUp(engine, "a search is for")))
    return 2;
  if (paths.cannotRun())
    return 77;
  paths.runFull();
  if (std::optional<int> refused = refuse())
    return refused;
  tree.emplace(paths.full.plan);
  all = tuneSites(paths, measured);
  byCode[codeOf(measured)].cost = 1;
  return std::nullopt;
}

bool TuneTrials::wasInterrupted() const {
  return paths.interrupted || (dispatch && dispatch->isBroken());
}

std::vector<std::string> TuneTrials::labels() const {
  for (const TargetSpec &target : paths.setup->graph.targets)
    if (target.name == key().target)
      return target.labels;
  return {};
}

Step TuneTrials::importStep() const {
  return paths.full.plan.steps[pathOf(paths.full, measured).front()];
}

std::string TuneTrials::entry() const {
  StepId leaf = paths.full.plan.results[measured].leaf;
  return std::get<RunAction>(paths.full.plan.steps[leaf].action).entry;
}

/// What isn't right by itself has no time to beat.
std::optional<int> TuneTrials::refuse() {
  RunRecord &full = paths.full;
  if (paths.interrupted)
    return 1;
  if (summarize(full).failed > 0 || paths.tested.empty()) {
    printReport(full, paths.env.out, paths.sink);
    paths.env.err << "lh-run: the default isn't right, or is compared with "
                     "nothing, so that no choice could be judged\n";
    return 1;
  }
  for (size_t result : paths.tested)
    if (isMeasurable(full.plan, full.plan.results[result])) {
      measured = result;
      if (paths.hasClock())
        return std::nullopt;
      paths.env.err << "lh-run: it runs emulated or simulated here, and has no "
                       "time\n";
      return 77;
    }
  paths.env.err << "lh-run: the pipeline runs nothing that has a time\n";
  return 1;
}

static std::string contents(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

std::string TuneTrials::workKey() const {
  std::vector<std::string> parts = {key().pipeline, key().caseName,
                                    key().target, host().cpu};
  for (const auto &[program, version] : versions())
    parts.push_back(program + version);
  for (StepId id : pathOf(paths.full, measured)) {
    const StepAction &action = paths.full.plan.steps[id].action;
    if (const auto *import = std::get_if<ImportAction>(&action))
      parts.push_back(contents(import->path));
    const auto *schedule = std::get_if<ScheduleAction>(&action);
    if (!schedule)
      continue;
    parts.push_back(contents(schedule->file));
    for (const std::string &library : schedule->libraries)
      parts.push_back(contents(library));
  }
  for (const std::string &file : paths.setup->graph.files)
    parts.push_back(contents(file));
  return keyHex(std::vector<StringRef>(parts.begin(), parts.end()));
}

/// The compile step's, above the run.
std::string TuneTrials::codeOf(size_t result) const {
  for (StepId step : pathOf(paths.full, result))
    if (!paths.full.outcomes[step].codeHash.empty())
      return paths.full.outcomes[step].codeHash;
  return "";
}

/// Plans the pipeline with the points of `assignment` and adds it.
void TuneTrials::addVariant(const Assignment &assignment, bool everywhere,
                            Variant &variant) {
  TunedSpec spec;
  spec.file = "trial";
  spec.target = key().target;
  for (const auto &[site, point] : assignment) {
    TunedEntry entry = entryFor(all[site], all[site].space.points[point]);
    if (entry.use.empty())
      continue;
    entry.where = {"trial", unsigned(site + 1), 1, 0};
    spec.entries.push_back(std::move(entry));
  }
  ResolveOptions options = resolveOptions(paths.options.graph, paths.env);
  options.tried = {std::move(spec)};
  CollectingSink found;
  FailureOr<ResolvedGraph> graph =
      loadGraph(paths.options.graph.manifest, options, paths.sources, found);
  FailureOr<Plan> plan = failure();
  if (succeeded(graph)) {
    if (paths.adapt)
      paths.adapt(*graph);
    setRepeat(*graph, 0);
    plan = planFor(*graph, paths.selection, *paths.setup->engine, paths.env,
                   found);
  }
  LogicalResult prepared = failure();
  if (succeeded(plan))
    prepared = paths.setup->engine->runner().prepare(plan->steps, found);
  if (failed(prepared)) {
    variant.trial.outcome = TrialOutcome::Constraint;
    for (const Diagnostic &diagnostic : found.take())
      if (diagnostic.severity == Severity::Error)
        variant.trial.reason = diagnostic.message;
    return;
  }
  std::string name = "trial " + std::to_string(++count);
  variant.results = joinPlan(
      paths.full.plan, *tree, *plan, name, [&](const PlannedResult &result) {
        return result.skipped.empty() && result.notApplicable.empty() &&
               (everywhere || isMeasurable(*plan, result));
      });
}

void TuneTrials::judge(const PathTrials::Heat &heat, Variant &variant) {
  TrialResult &trial = variant.trial;
  for (size_t result : variant.results) {
    trial.compileSeconds = paths.compileSeconds(result);
    trial.code = codeOf(result);
    for (StepId id :
         paths.full.plan.pathTo(paths.full.plan.results[result].leaf)) {
      const StepOutcome &outcome = paths.full.outcomes[id];
      if (outcome.status == StepStatus::Passed ||
          outcome.status == StepStatus::NotApplicable)
        continue;
      trial.outcome =
          outcome.status == StepStatus::Crashed    ? TrialOutcome::Crashed
          : outcome.status == StepStatus::TimedOut ? TrialOutcome::Timeout
                                                   : TrialOutcome::NoCompile;
      trial.reason = *paths.failureOf(result);
      return;
    }
    for (const ResultRecord &record : heat.run.results) {
      const ResultKey &key = paths.full.plan.results[result].key;
      if (record.key.pipeline != key.pipeline ||
          record.key.dataSet != key.dataSet ||
          record.status == ResultStatus::Passed ||
          record.status == ResultStatus::NotApplicable)
        continue;
      trial.outcome = TrialOutcome::Wrong;
      trial.reason = record.reason;
      return;
    }
  }
}

void TuneTrials::addTimes(const PathTrials::Heat &heat, Variant &variant) {
  TrialResult &trial = variant.trial;
  const BenchRow *row =
      rowOf(heat.measured,
            paths.full.plan.results[variant.results.front()].key.pipeline);
  if (!row || !row->whyNot.empty() || !row->ratio) {
    trial.outcome =
        row && row->failed ? TrialOutcome::Wrong : TrialOutcome::Timeout;
    trial.reason = !row ? "its first call took several times the default's"
                   : row->whyNot.empty() ? "too few turns were undisturbed"
                                         : row->whyNot;
    return;
  }
  trial.seconds = row->seconds;
  trial.ratio = row->ratio;
  trial.sittings = {row->ratio->median};
  trial.baseSeconds = secondsOfDefault;
  trial.cost = 1 / row->ratio->median;
}

/// Whether its first call took so much longer than the default's that turns
/// would only take time.
bool TuneTrials::isHopeless(size_t result) const {
  constexpr double slow = 4, leastSeconds = 0.3;
  auto secondsOf = [&](size_t of) {
    return paths.full.outcomes[paths.full.plan.results[of].leaf].seconds;
  };
  double own = secondsOf(result);
  return own > leastSeconds && own > slow * secondsOf(measured);
}

/// Once more in new processes: those of before had their luck with pages.
void TuneTrials::addSitting(const MeasureOptions &measure,
                            std::vector<Variant> &variants) {
  std::vector<size_t> results;
  for (const Variant &variant : variants)
    if (!variant.trial.sittings.empty())
      results.push_back(variant.results.front());
  if (results.empty() || paths.interrupted)
    return;
  PathTrials::Heat heat = paths.run(results, measure);
  for (Variant &variant : variants) {
    if (variant.trial.sittings.empty())
      continue;
    const BenchRow *row =
        rowOf(heat.measured,
              paths.full.plan.results[variant.results.front()].key.pipeline);
    if (row && row->failed) {
      variant.trial.outcome = TrialOutcome::Wrong;
      variant.trial.reason = row->whyNot;
      variant.trial.ratio.reset();
      variant.trial.sittings.clear();
    } else if (row && row->whyNot.empty() && row->ratio) {
      variant.trial.sittings.push_back(row->ratio->median);
    }
  }
}

std::vector<TrialResult> TuneTrials::tryAll(ArrayRef<Assignment> round,
                                            const RoundOptions &options) {
  if (dispatch)
    return dispatch->tryAll(round, options, *this);
  std::vector<Variant> variants(round.size());
  std::vector<size_t> results;
  for (auto [variant, assignment] : llvm::zip_equal(variants, round)) {
    addVariant(assignment, options.everywhere, variant);
    llvm::append_range(results, variant.results);
  }
  paths.full.outcomes.resize(paths.full.plan.steps.size());
  MeasureOptions measure = options.measure;
  measure.vs = key().pipeline;
  std::set<std::string> known;
  for (const auto &[code, trial] : byCode)
    known.insert(code);
  // Equal code is timed once, but for a final, which is a measurement of its
  // own.
  PathTrials::Heat heat = paths.run(results, measure, [&](size_t result) {
    std::string code = codeOf(result);
    return options.everywhere ||
           (!isHopeless(result) && (code.empty() || known.insert(code).second));
  });
  if (const BenchRow *row = rowOf(heat.measured, key().pipeline);
      row && row->whyNot.empty())
    secondsOfDefault = row->seconds.median;
  for (Variant &variant : variants) {
    TrialResult &trial = variant.trial;
    if (!variant.results.empty())
      judge(heat, variant);
    auto same = byCode.find(trial.code);
    bool isKnown =
        !options.everywhere && !trial.code.empty() && same != byCode.end();
    if (trial.outcome == TrialOutcome::Measured && isKnown) {
      TrialResult known = same->second;
      known.outcome = TrialOutcome::SameCode;
      known.code = trial.code;
      known.compileSeconds = trial.compileSeconds;
      trial = std::move(known);
    } else if (trial.outcome == TrialOutcome::Measured) {
      addTimes(heat, variant);
      if (trial.outcome == TrialOutcome::Measured && !trial.code.empty())
        byCode[trial.code] = trial;
    }
    paths.dropOutputs(variant.results);
  }
  for (size_t sitting = 1; sitting < options.sittings; ++sitting)
    addSitting(measure, variants);
  std::vector<TrialResult> tried;
  for (Variant &variant : variants)
    tried.push_back(std::move(variant.trial));
  return tried;
}
