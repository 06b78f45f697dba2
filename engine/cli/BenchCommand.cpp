// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run bench`: a run as ever, then turns for what passed.
#include "cli/Command.h"

#include "cli/BenchChoice.h"
#include "cli/CycleModels.h"
#include "cli/LogObserver.h"
#include "cli/Measurement.h"
#include "cli/RunContext.h"
#include "cli/SharedOptions.h"
#include "core/graph/Evaluate.h"
#include "core/plan/Select.h"
#include "core/support/FileSystem.h"
#include "core/support/Version.h"
#include "insight/report/BenchTable.h"
#include "insight/report/CacheTable.h"
#include "insight/report/JsonReport.h"
#include "insight/report/LntReport.h"
#include "insight/report/ModelTable.h"
#include "insight/report/Summary.h"
#include "insight/report/TerminalReport.h"
#include "steps/RunSetup.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

namespace {
struct BenchOptions {
  ManifestRunOptions run;
  CacheOptions cache;
  MeasureOptions measure;
  bool modelCycles = false; ///< of emulated code: count, and model cores
  std::string choice;       ///< where the manifest of the fastest goes
  std::string json, lnt, lnt5;
};
} // namespace

static void addBenchFlags(CLI::App &command, BenchOptions &options) {
  addGraphFlags(command, options.run.graph);
  MeasureOptions &measure = options.measure;
  CLI::Option *vs = addValue(command, "--vs", "PIPELINE", measure.vs,
                             "measure this pipeline too, and give ratios to it "
                             "on the same target: above 1 is faster");
  CLI::Option *race = command.add_flag(
      "--race", measure.race,
      "measure all pipelines on all targets (or --target's) that run here "
      "without an emulator or a simulation, and name the fastest of each case");
  race->excludes(vs);
  addValue(command, "--choice", "FILE", options.choice,
           "with --race: write a manifest that runs the winner alone, in the "
           "manifest's folder; where cases have different winners, one for "
           "each, FILE-PIPELINE-TARGET")
      ->needs(race);
  addValue(command, "--time-limit", "SECONDS", measure.timeLimit,
           "measure a case for this long at most, steady or not (default: 10)")
      ->check(CLI::NonNegativeNumber);
  addValue(command, "--error", "PERCENT", measure.errorPercent,
           "the relative standard error that is steady enough (default: 1)")
      ->check(CLI::NonNegativeNumber);
  command.add_flag("--model-cycles", options.modelCycles,
                   "of emulated code: count the instructions of a call, and "
                   "model the cycles of the cores that the target names");
  addJsonFlag(command, options.json,
              "write the report of 'run', with the measurements under 'bench'");
  addValue(command, "--lnt", "FILE", options.lnt,
           "write the measurements as a report for an LNT server");
  addValue(command, "--lnt5", "FILE", options.lnt5,
           "write them as a report for an LNT server of version 5");
  addExecutionFlags(command, options.run);
  addCacheFlags(command, options.cache);
}

namespace {
/// One call of the command.
class Bench {
public:
  Bench(const BenchOptions &options, DriverEnv &env)
      : options(options), env(env), sources(env.files),
        sink(env.err, sources, sinkOptions(env)) {}

  int run();

private:
  bool setUp();
  bool refuse(const std::string &why);
  Selection selection() const;
  std::vector<std::string> timedTargets() const;
  bool checkPlaces();
  void print(const RunRecord &record, const BenchRecord &measured);
  LogicalResult write(const RunRecord &record, const BenchRecord &measured);

  const BenchOptions &options;
  DriverEnv &env;
  SourceStore sources;
  StreamSink sink;
  int core = quietCore();
  unsigned threads = 1; ///< the most that a target's code has
  BenchSeats seats{core};
  std::optional<RunSetup> setup;
  std::optional<Plan> plan;
  std::time_t startTime = std::time(nullptr);
};
} // namespace

bool Bench::refuse(const std::string &why) {
  env.err << "lh-run: " << why << '\n';
  return false;
}

/// As `run` selects, and whom to compare with.
Selection Bench::selection() const {
  Selection selection = selectionFor(options.run);
  if (!options.measure.vs.empty() && !selection.pipelines.empty())
    selection.pipelines.push_back(options.measure.vs);
  if (options.measure.race && selection.targets.empty())
    selection.targets = timedTargets();
  return selection;
}

/// All but those whose code an emulator or a simulation runs here, which has no
/// time to measure.
std::vector<std::string> Bench::timedTargets() const {
  if (options.modelCycles || setup->graph.targets.empty())
    return {"*"};
  PlanHost host = planHostOf(*setup->engine, env);
  std::vector<std::string> timed, untimed;
  for (const TargetSpec &target : setup->graph.targets) {
    bool runs = host.whyNot(target).empty();
    (runs && !runsNatively(target, host) ? untimed : timed)
        .push_back(target.name);
  }
  if (timed.empty())
    return {"*"};
  if (!untimed.empty())
    env.err << "race: not on " << llvm::join(untimed, ", ")
            << ": an emulator or a simulation would run it, whose time says "
               "nothing\n";
  return timed;
}

bool Bench::checkPlaces() {
  std::string misplaced =
      options.choice.empty() ? "" : whyNoChoiceAt(options.choice, setup->graph);
  if (!misplaced.empty())
    return refuse(misplaced);
  bool writable = true;
  for (const std::string &place :
       {options.json, options.lnt, options.lnt5, options.choice})
    if (!place.empty())
      writable &= succeeded(checkWritable(place, {}, sink));
  return writable;
}

bool Bench::setUp() {
  Engine::Options engineOptions;
  engineOptions.runner.countsInstructions = options.modelCycles;
  engineOptions.cache = options.cache;
  engineOptions.runner.afterRun =
      [this](const Step &step, Executable &executable,
             ArrayRef<NamedTensor> inputs, ArrayRef<NamedTensor> outputs) {
        seats.takeAfterRun(step, executable, inputs, outputs);
      };
  engineOptions.runner.beforeRun = [this](const Step &step,
                                          Executable &executable,
                                          ArrayRef<NamedTensor> inputs) {
    seats.takeBeforeRun(step, executable, inputs, setup->scratch->path());
  };
  FailureOr<RunSetup> made =
      setUpRun(options.run.graph, engineOptions, sources, env, sink);
  if (failed(made))
    return false;
  setup = std::move(*made);
  // `repeat` is of another way to time: a run by itself.
  setRepeat(setup->graph, 0);
  threads = mostThreads(setup->graph);
  seats.useCores(threads);
  if (!knowsPipeline("--vs", options.measure.vs, setup->graph, env))
    return false;
  FailureOr<Plan> planned = setup->plan(selection(), env, sink);
  if (failed(planned) || !checkPlaces())
    return false;
  plan = std::move(*planned);
  const HostFacts &host = setup->engine->host();
  std::set<std::string> emulated;
  if (options.modelCycles)
    emulated = emulatedTargets(setup->graph, host);
  if (failed(checkModels(*plan, setup->graph, emulated, host, sink)))
    return false;
  std::string tooMany =
      seats.reserve(*plan, emulated,
                    simulatedTargets(setup->graph, setup->engine->backends()));
  return tooMany.empty() || refuse(tooMany);
}

/// Of the run what isn't as it should be, and its summary; then the table.
void Bench::print(const RunRecord &record, const BenchRecord &measured) {
  TerminalReportOptions report;
  report.color = env.color;
  report.showRemarks = options.run.verbose;
  report.explainTolerance = options.run.explainTolerance;
  bool isQuiet = summarize(record).failed == 0 && !options.run.verbose &&
                 !options.run.explainTolerance;
  if (isQuiet)
    report.compactAbove = 0;
  printReport(record, env.out, sink, report);
  if (options.cache.explain)
    printCacheUse(record, env.out);
  if (record.interrupted)
    return;
  printBench(measured, env.out);
  printModels(measured, env.out);
}

LogicalResult Bench::write(const RunRecord &record,
                           const BenchRecord &measured) {
  bool written = true;
  auto write = [&](const std::string &file, auto report) {
    if (!file.empty())
      written &= succeeded(writeFileAtomically(file, report(), {}, sink));
  };
  write(options.json, [&] {
    return jsonReport(record,
                      contextOf(record.plan, setup->graph,
                                setup->engine->session(), sources, options.json,
                                startTime),
                      &measured);
  });
  if (!options.choice.empty())
    written &=
        succeeded(writeChoices(measured, setup->graph, options.run.graph.set,
                               options.choice, sources, env.out, sink));
  LntRun run{hostName(), versions().at("lh-run"), timeText(startTime),
             timeText(std::time(nullptr))};
  write(options.lnt, [&] { return lntReport(measured, run); });
  write(options.lnt5, [&] { return lntReport5(measured, run); });
  return success(written);
}

int Bench::run() {
  if (!setUp())
    return badUsage;
  bool planWarned = sink.warningCount() > 0;
  const HostFacts &host = setup->engine->host();
  RunProgress progress(options.run.verbose, env);
  RunRecord record = setup->run(*plan, options.run, progress.observer());
  BenchRecord measured;
  MeasureOptions measuring = options.measure;
  measuring.stepTimeout = options.run.stepTimeout;
  if (!record.interrupted)
    measured = measure(record, seats, measuring, host, {core, threads});
  if (options.modelCycles)
    addModels(measured, record, setup->graph, host, setup->scratch->path());
  print(record, measured);
  LogicalResult written = write(record, measured);
  int code = options.run.strict && planWarned
                 ? 1
                 : exitCode(record, options.run.strict);
  bool isSound =
      succeeded(written) && !measured.interrupted && !measured.hasFailure();
  return !isSound && code == 0 ? 1 : code;
}

static int runBench(const BenchOptions &options, DriverEnv &env) {
  return Bench(options, env).run();
}

CommandRun lh::makeBenchCommand(CLI::App &command) {
  return makeCommand(command, addBenchFlags, runBench);
}
