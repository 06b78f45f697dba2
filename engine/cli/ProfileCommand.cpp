// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run profile`: which nodes of a model the time of a call goes to.
#include "cli/Command.h"

#include "cli/LogObserver.h"
#include "cli/Measurement.h"
#include "cli/RunContext.h"
#include "cli/SharedOptions.h"
#include "core/graph/Evaluate.h"
#include "core/support/FileSystem.h"
#include "insight/report/BenchTable.h"
#include "insight/report/JsonReport.h"
#include "insight/report/Profile.h"
#include "insight/report/Summary.h"
#include "insight/report/TerminalReport.h"
#include "steps/RunSetup.h"

using namespace lh;

namespace {
struct ProfileOptions {
  ManifestRunOptions run;
  MeasureOptions measure;
  size_t nodes = 20;
  double below = 0; ///< percent of the roofline; 0: whatever it is
  std::string json;
};
} // namespace

static void addProfileFlags(CLI::App &command, ProfileOptions &options) {
  addGraphFlags(command, options.run.graph);
  addValue(command, "--vs", "PIPELINE", options.measure.vs,
           "profile this pipeline too, and say of each node how many times its "
           "time it takes there: above 1 is faster");
  addValue(command, "--nodes", "N", options.nodes,
           "show the N nodes that take longest (default: 20; 0: all)")
      ->check(CLI::NonNegativeNumber);
  addValue(command, "--below", "PERCENT", options.below,
           "show nodes below so many percent of the roofline only")
      ->check(CLI::Range(1, 100));
  addJsonFlag(command, options.json,
              "write the record of the run with all nodes; 'lh-run report' "
              "draws them");
  addExecutionFlags(command, options.run);
}

/// Takes out nodes that do well, or of which that isn't known.
static void keepBelow(double percent, std::vector<ProfiledResult> &results) {
  for (ProfiledResult &result : results)
    llvm::erase_if(result.nodes, [&](const ProfiledNode &node) {
      return !node.ofRoofline || *node.ofRoofline * 100 >= percent;
    });
}

/// As `run` selects, and whom to compare with; of one case unless more are
/// asked for.
static Selection selectionOf(const ProfileOptions &options,
                             const ResolvedGraph &graph) {
  Selection selection = selectionFor(options.run);
  restrictToOneCase(graph, selection);
  if (!options.measure.vs.empty() && !selection.pipelines.empty())
    selection.pipelines.push_back(options.measure.vs);
  return selection;
}

/// Prints what was found, and writes it; whether something was, and all went
/// well.
static bool tell(const ProfileOptions &options, const RunRecord &record,
                 const BenchRecord &measured,
                 llvm::function_ref<std::string(ArrayRef<ProfiledResult>)> json,
                 DiagnosticSink &sink, DriverEnv &env) {
  TerminalReportOptions report;
  report.color = env.color;
  report.showRemarks = options.run.verbose;
  report.compactAbove = 0;
  printReport(record, env.out, sink, report);
  std::vector<ProfiledResult> profiles = profiledResults(record, measured);
  printBench(measured, env.out);
  warnOfClocks(profiles, sink);
  bool isWritten =
      options.json.empty() ||
      succeeded(writeFileAtomically(options.json, json(profiles), {}, sink));
  bool isFound = !profiles.empty();
  if (options.below > 0)
    keepBelow(options.below, profiles);
  printProfile(profiles, measured, options.nodes, env.out);
  return isWritten && isFound && !measured.interrupted &&
         !measured.hasFailure();
}

static int runProfile(const ProfileOptions &options, DriverEnv &env) {
  std::time_t startTime = std::time(nullptr);
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  int core = quietCore();
  BenchSeats seats(core);
  Engine::Options engineOptions;
  engineOptions.runner.profiles = true;
  engineOptions.runner.module.weighsNodes = true;
  engineOptions.runner.afterRun = [&](const Step &step, Executable &executable,
                                      ArrayRef<NamedTensor> inputs,
                                      ArrayRef<NamedTensor> outputs) {
    seats.takeAfterRun(step, executable, inputs, outputs);
  };
  FailureOr<RunSetup> setup =
      setUpRun(options.run.graph, engineOptions, sources, env, sink);
  if (failed(setup) ||
      !knowsPipeline("--vs", options.measure.vs, setup->graph, env))
    return badUsage;
  setRepeat(setup->graph, 0);
  unsigned threads = mostThreads(setup->graph);
  seats.useCores(threads);
  FailureOr<Plan> plan =
      setup->plan(selectionOf(options, setup->graph), env, sink);
  if (failed(plan) ||
      (!options.json.empty() && failed(checkWritable(options.json, {}, sink))))
    return badUsage;
  std::string tooMany = seats.reserve(
      *plan, {}, simulatedTargets(setup->graph, setup->engine->backends()));
  if (!tooMany.empty()) {
    env.err << "lh-run: " << tooMany << '\n';
    return badUsage;
  }
  // What else ran meanwhile would be in the clocks' times.
  ManifestRunOptions run = options.run;
  run.jobs = 1;
  RunProgress progress(options.run.verbose, env);
  RunRecord record = setup->run(*plan, run, progress.observer());
  BenchRecord measured;
  MeasureOptions measuring = options.measure;
  measuring.copiesForNodes = true;
  if (!record.interrupted)
    measured = measure(record, seats, measuring, setup->engine->host(),
                       {core, threads});
  auto json = [&](ArrayRef<ProfiledResult> profiles) {
    return jsonReport(record,
                      contextOf(record.plan, setup->graph,
                                setup->engine->session(), sources, options.json,
                                startTime),
                      &measured, profiles);
  };
  bool isSound = tell(options, record, measured, json, sink, env);
  int code = exitCode(record, options.run.strict);
  return !isSound && code == 0 ? 1 : code;
}

CommandRun lh::makeProfileCommand(CLI::App &command) {
  return makeCommand(command, addProfileFlags, runProfile);
}
