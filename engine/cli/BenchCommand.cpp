// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run bench`: a run as ever, then turns for what passed.
#include "cli/BenchChoice.h"

#include "cli/Commands.h"
#include "cli/CycleModels.h"
#include "cli/ExitCodes.h"
#include "cli/Measurement.h"
#include "cli/RunContext.h"
#include "cli/RunSetup.h"
#include "cli/Version.h"
#include "core/graph/Evaluate.h"
#include "core/plan/Select.h"
#include "core/support/FileSystem.h"
#include "insight/report/BenchTable.h"
#include "insight/report/CacheTable.h"
#include "insight/report/JsonReport.h"
#include "insight/report/LntReport.h"
#include "insight/report/ModelTable.h"
#include "insight/report/Summary.h"
#include "insight/report/TerminalReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <unistd.h>

using namespace lh;

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
  bool checkBase();
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

bool Bench::checkBase() {
  std::vector<StringRef> names;
  for (const ResolvedPipeline &pipeline : setup->graph.pipelines)
    names.push_back(pipeline.name);
  if (options.vs.empty() || llvm::is_contained(names, options.vs))
    return true;
  return refuse("--vs: there is no pipeline '" + options.vs + "'" +
                didYouMean(options.vs, names));
}

/// As `run` selects, and whom to compare with.
Selection Bench::selection() const {
  Selection selection = selectionFor(options.run);
  if (!options.vs.empty() && !selection.pipelines.empty())
    selection.pipelines.push_back(options.vs);
  if (options.race && selection.targets.empty())
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
       {options.run.json, options.lnt, options.lnt5, options.choice})
    if (!place.empty())
      writable &= succeeded(checkWritable(place, {}, sink));
  return writable;
}

bool Bench::setUp() {
  Engine::Options engineOptions;
  engineOptions.countsInstructions = options.modelCycles;
  engineOptions.cache = options.run.cache;
  engineOptions.afterRun = [this](const Step &step, Executable &executable,
                                  ArrayRef<NamedTensor> inputs,
                                  ArrayRef<NamedTensor> outputs) {
    seats.taken(step, executable, inputs, outputs);
  };
  engineOptions.beforeRun = [this](const Step &step, Executable &executable,
                                   ArrayRef<NamedTensor> inputs) {
    seats.takenEarly(step, executable, inputs, setup->scratch->path());
  };
  FailureOr<RunSetup> made =
      setUpRun(options.run.graph, engineOptions, sources, env, sink);
  if (failed(made))
    return false;
  setup = std::move(*made);
  // `repeat` is of another way to time: a run by itself.
  for (ResolvedBubble &bubble : setup->graph.bubbles)
    if (auto *execute = std::get_if<ExecuteDecl>(&bubble.action))
      execute->repeat = 0;
  for (const TargetSpec &target : setup->graph.targets)
    threads = std::max(threads, static_cast<unsigned>(threadsOf(target)));
  seats.useCores(threads);
  if (!checkBase())
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
  std::set<std::string> simulated;
  for (const TargetSpec &target : setup->graph.targets)
    if (!setup->engine->backends().deviceLabel(target).empty())
      simulated.insert(target.name);
  std::string tooMany = seats.reserve(*plan, emulated, simulated);
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
  if (options.run.cache.explain)
    printCacheUse(record, env.out);
  if (record.interrupted)
    return;
  printBench(measured, env.out);
  printModels(measured, env.out);
}

static std::string hostName() {
  char name[256] = "";
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown";
}

LogicalResult Bench::write(const RunRecord &record,
                           const BenchRecord &measured) {
  bool written = true;
  if (!options.run.json.empty())
    written &= succeeded(writeFileAtomically(
        options.run.json,
        jsonReport(record,
                   contextOf(record.plan, setup->graph,
                             setup->engine->session(), sources,
                             options.run.json, startTime),
                   &measured),
        {}, sink));
  if (!options.choice.empty())
    written &= succeeded(
        writeChoices(measured, setup->graph, options, sources, env.out, sink));
  LntRun run{hostName(), versions().at("lh-run"), timeText(startTime),
             timeText(std::time(nullptr))};
  if (!options.lnt.empty())
    written &= succeeded(
        writeFileAtomically(options.lnt, lntReport(measured, run), {}, sink));
  if (!options.lnt5.empty())
    written &= succeeded(
        writeFileAtomically(options.lnt5, lntReport5(measured, run), {}, sink));
  return success(written);
}

int Bench::run() {
  if (!setUp())
    return badUsage;
  bool planWarned = sink.warningCount() > 0;
  Engine &engine = *setup->engine;
  engine.session().loadAll();
  RunRecord record =
      runPlan(*plan, engine, options.run, setup->scratch->path(), env);
  BenchRecord measured;
  if (!record.interrupted)
    measured = measure(record, seats, options, engine.host(), {core, threads});
  if (options.modelCycles)
    addModels(measured, record, setup->graph, engine.host(),
              setup->scratch->path());
  print(record, measured);
  LogicalResult written = write(record, measured);
  int code = options.run.strict && planWarned
                 ? 1
                 : exitCode(record, options.run.strict);
  bool isSound =
      succeeded(written) && !measured.interrupted && !measured.hasFailure();
  return !isSound && code == 0 ? 1 : code;
}

int lh::benchCommand(const BenchOptions &options, DriverEnv &env) {
  return Bench(options, env).run();
}
