// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run reduce`: a failing step's folder, made smaller.
#include "cli/Command.h"

#include "compiler/session/MlirOptLine.h"
#include "compiler/session/ModuleFile.h"
#include "core/exec/Executor.h"
#include "core/support/FileSystem.h"
#include "core/support/Shell.h"
#include "insight/debug/ReproducerFolder.h"
#include "insight/debug/StepReducer.h"
#include "insight/report/TerminalReport.h"
#include "steps/RunSetup.h"

#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <chrono>

using namespace lh;

namespace {
struct ReduceOptions {
  std::string folder;
  std::string output;     ///< empty: `<folder>-reduced`
  double timeLimit = 60;  ///< seconds; what is found by then is written
  bool allowExec = false; ///< load plugins and start programs it names
  bool verbose = false;
};
} // namespace

static void addReduceFlags(CLI::App &command, ReduceOptions &options) {
  addValue(command, "folder", "DIR", options.folder,
           "the folder that a failing step of lh-run run left")
      ->required();
  addValue(command, "-o,--output", "DIR", options.output,
           "the folder to write (default: DIR-reduced)");
  addValue(command, "--time-limit", "SECONDS", options.timeLimit,
           "write what there is after this long (default: 60)")
      ->check(CLI::NonNegativeNumber);
  command.add_flag(
      "--allow-exec", options.allowExec,
      "load the plugins and start the programs that the folder names");
  command.add_flag("-v,--verbose", options.verbose,
                   "say how the failure is recognised");
}

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

namespace {

/// One reduction, from the folder that is read to the one that is written.
class Reduction {
public:
  Reduction(const ReduceOptions &options, DriverEnv &env, SourceStore &sources,
            DiagnosticSink &sink)
      : options(options), env(env), sources(sources), sink(sink),
        folder(absolutePath(options.folder, workingDirectory())),
        target(options.output.empty()
                   ? folder + "-reduced"
                   : absolutePath(options.output, workingDirectory())) {}

  /// The exit code.
  int run();

private:
  LogicalResult checkTarget();
  LogicalResult load();
  LogicalResult splitPath(const Plan &plan);
  LogicalResult reproduce();
  LogicalResult write();
  LogicalResult confirm();
  void report(const ReductionCounts &before, double seconds);

  const ReduceOptions &options;
  DriverEnv &env;
  SourceStore &sources;
  DiagnosticSink &sink;
  std::string folder, target;
  Reproducer record;
  RunSetup setup;
  std::string inputFile;
  std::vector<Step> steps;
  std::unique_ptr<FailureProbe> probe;
  std::unique_ptr<StepReducer> reducer;
};

} // namespace

/// What is at the target goes: it had better be an earlier reduction.
LogicalResult Reduction::checkTarget() {
  bool isOurs = isFile(env.files, target + "/" + reproducerFiles::record);
  bool isFree =
      !env.files.exists(target) ||
      (isFolder(env.files, target) && listFolder(env.files, target).empty());
  if (!isOurs && !isFree)
    return sink.error(DiagKind::DriverBadReproducer, {target, 0, 0, 0},
                      "this exists and is no reproducer; it would be replaced, "
                      "so name another folder (-o)");
  return checkWritable(folderOf(target) + "/any", {}, sink);
}

/// Reads what is to be done again, by the manifest that does it.
LogicalResult Reduction::load() {
  FailureOr<Reproducer> read = readReproducer(folder, sink);
  if (failed(read))
    return failure();
  record = std::move(*read);
  if (!options.allowExec && !record.plugins.empty())
    return sink.error(DiagKind::PlanNotAllowed,
                      {folder + "/" + reproducerFiles::record, 0, 0, 0},
                      "this names the plugin '" + record.plugins.front() +
                          "', whose code is run with your rights; what a "
                          "folder names is loaded only with --allow-exec");
  ManifestRunOptions run = runOptionsOf(record, folder);
  run.graph.allowExec = options.allowExec;
  FailureOr<RunSetup> made = setUpRun(run.graph, {}, sources, env, sink);
  if (failed(made))
    return failure();
  setup = std::move(*made);
  FailureOr<Plan> plan = setup.plan(selectionFor(run), env, sink);
  if (failed(plan) || failed(splitPath(*plan)))
    return failure();
  setup.engine->session().loadAll();
  probe = std::make_unique<FailureProbe>(*setup.engine, setup.scratch->path());
  probe->limits = {record.stepTimeout, record.memoryLimitMiB << 20};
  reducer = std::make_unique<StepReducer>(
      *setup.engine, *probe, setup.scratch->path(), steps, record.failure);
  return reducer->load(inputFile, sink);
}

/// The module's file, and the steps that are done on it.
LogicalResult Reduction::splitPath(const Plan &plan) {
  for (const PlannedResult &result : plan.results) {
    if (!result.skipped.empty())
      return sink.error(DiagKind::DriverNotReproduced, {folder, 0, 0, 0},
                        "it can't run here: " + result.skipped);
    if (!result.notApplicable.empty())
      continue;
    std::vector<StepId> path = plan.pathTo(result.leaf);
    const auto *import =
        std::get_if<ImportAction>(&plan.steps[path.front()].action);
    if (path.size() < 2 || !import || import->kind != IngressKind::Mlir)
      return sink.error(DiagKind::DriverBadReproducer, {folder, 0, 0, 0},
                        "only what is done to a module can be made smaller, "
                        "and this fails while a model is imported");
    inputFile = import->path;
    for (size_t i = 1; i < path.size(); ++i)
      steps.push_back(plan.steps[path[i]]);
    return success();
  }
  return sink.error(DiagKind::DriverBadReproducer, {folder, 0, 0, 0},
                    "its manifest has no pipeline that runs");
}

/// The failure is there, more than by chance.
LogicalResult Reduction::reproduce() {
  constexpr int tries = 2;
  double longest = 0;
  for (int i = 0; i < tries; ++i) {
    Clock::time_point begin = Clock::now();
    StepOutcome outcome = reducer->runOnce();
    longest = std::max(longest, secondsSince(begin));
    FailureSignature seen = signatureOf(outcome);
    if (seen == record.failure)
      continue;
    bool passed = outcome.status == StepStatus::Passed;
    std::string what =
        passed ? "does not fail here" : "fails otherwise here: " + seen.text();
    return sink.error(DiagKind::DriverNotReproduced, {folder, 0, 0, 0},
                      "'" + record.bubble + "' " + what +
                          (i > 0 ? ", though it did a moment ago" : "") +
                          "; the folder is of: " + record.failure.text());
  }
  // What is left of a module may run for ever.
  constexpr double patience = 1;
  double limit = patience + 10 * longest;
  if (probe->limits.stepTimeoutSeconds <= 0)
    probe->limits.stepTimeoutSeconds = limit;
  return success();
}

LogicalResult Reduction::write() {
  ReproducerContents contents;
  contents.record = record;
  if (!reducer->failureSeen().reason.empty())
    contents.record.reason = reducer->failureSeen().reason;
  contents.steps = reducer->steps();
  contents.dialects = setup.engine->session().dialectFiles().vec();
  contents.record.mlirOpt =
      mlirOptLine(contents.steps.back(), setup.engine->session());
  contents.input = reducer->module().text();
  std::string written = setup.scratch->path() + "/reduced.mlir";
  if (failed(writeFileAtomically(written, contents.input, {}, sink)))
    return failure();
  if (!isModuleFile(written, setup.engine->session())) {
    contents.isBytecode = true;
    contents.input = reducer->module().bytecode();
  }
  return writeReproducer(contents, target, sink);
}

/// What was written fails as what was found did.
LogicalResult Reduction::confirm() {
  ManifestRunOptions run = runOptionsOf(record, target);
  run.stepTimeout = probe->limits.stepTimeoutSeconds;
  FailureOr<ResolvedGraph> graph = loadGraph(
      run.graph.manifest, resolveOptions(run.graph, env), sources, sink);
  if (failed(graph))
    return failure();
  setup.graph = std::move(*graph);
  FailureOr<Plan> plan = setup.plan(selectionFor(run), env, sink);
  if (failed(plan))
    return failure();
  RunObserver nobody;
  RunRecord done = setup.run(*plan, run, nobody);
  for (const StepOutcome &outcome : done.outcomes)
    if (isFailure(outcome.status) && signatureOf(outcome) == record.failure)
      return success();
  return sink.error(
      DiagKind::DriverNotReproduced, {target, 0, 0, 0},
      "what was written does not fail the same: it may depend on more than the "
      "module's text says; the folder that was read is untouched");
}

static void writeCount(const char *one, const char *many, size_t before,
                       size_t after, llvm::raw_ostream &out) {
  if (before > 0)
    out << ", " << before << ' ' << (before == 1 ? one : many) << " -> "
        << after;
}

void Reduction::report(const ReductionCounts &before, double seconds) {
  ReductionCounts after = reducer->counts();
  size_t bubbles = std::max<size_t>(record.path.size(), 1);
  env.out << bubbles << (bubbles == 1 ? " bubble" : " bubbles") << " -> 1";
  writeCount("pass", "passes", before.passes, after.passes, env.out);
  writeCount("schedule op", "schedule ops", before.scheduleOps,
             after.scheduleOps, env.out);
  writeCount("op", "ops", before.moduleOps, after.moduleOps, env.out);
  env.out << " (" << reducer->probeCount() << " probes, "
          << durationText(seconds) << ")\n";
  if (probe->wasInterrupted())
    env.out << "interrupted: it may get smaller yet\n";
  else if (seconds >= options.timeLimit)
    env.out
        << "the time limit is over: it may get smaller yet (--time-limit)\n";
}

int Reduction::run() {
  if (failed(load()))
    return badUsage;
  if (failed(checkTarget()))
    return badUsage;
  if (options.verbose)
    env.err << "looking for: " << record.failure.text() << '\n';
  Clock::time_point begin = Clock::now();
  if (failed(reproduce()))
    return 1;
  ReductionCounts before = reducer->counts();
  reducer->reduce([&] { return secondsSince(begin) >= options.timeLimit; });
  double seconds = secondsSince(begin);
  if (failed(write()) || failed(confirm()))
    return 1;
  report(before, seconds);
  env.out << "wrote " << displayPath(target, workingDirectory()) << ": "
          << record.failure.text() << '\n';
  return 0;
}

static int runReduce(const ReduceOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  return Reduction(options, env, sources, sink).run();
}

CommandRun lh::makeReduceCommand(CLI::App &command) {
  return makeCommand(command, addReduceFlags, runReduce);
}
