// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run run`: the whole arc, from a manifest's text to reports.
#include "cli/Command.h"

#include "cli/DryRun.h"
#include "cli/Hints.h"
#include "cli/LogObserver.h"
#include "cli/RunAndReport.h"
#include "cli/RunContext.h"
#include "cli/SharedOptions.h"
#include "compiler/session/Snapshot.h"
#include "core/plan/FirstRuns.h"
#include "core/plan/Resume.h"
#include "core/plan/ToolTargets.h"
#include "core/support/FileNames.h"
#include "core/support/FileSystem.h"
#include "insight/debug/FailureFolders.h"
#include "insight/report/Annotations.h"
#include "insight/report/CacheTable.h"
#include "insight/report/Explanation.h"
#include "insight/report/JUnitReport.h"
#include "insight/report/JsonReport.h"
#include "insight/report/MarkdownReport.h"
#include "insight/report/ResultCodes.h"
#include "insight/report/Summary.h"
#include "insight/report/TerminalReport.h"
#include "steps/HandOut.h"
#include "steps/RunSetup.h"

#include "llvm/Support/FileSystem.h"

using namespace lh;

namespace {
struct RunCommandOptions {
  ManifestRunOptions run;
  LibraryOptions library; ///< that `lh-run build` makes
  CacheOptions cache;
  TimingOptions timing;
  PrintOptions print;
  std::string until, output;
  std::string from; ///< the bubble whose snapshot is begun with
  std::string snapshots;
  bool dryRun = false;
  std::string schedules; ///< where dryRun writes schedules; empty: nowhere
  std::string outDir, json, junit, lit, markdown, annotations, saveOutputs;
  std::string failures; ///< where failing steps leave folders; empty: default
  bool noFailures = false;
};
} // namespace

/// Flags that begin, end or replace the run elsewhere.
static void addRunPartFlags(CLI::App &command, RunCommandOptions &options) {
  FlagHeading heading(command, "Running a part");
  addValue(command, "--until", "BUBBLE", options.until,
           "stop after this bubble and write the module (see -o); what is "
           "around a bubble may be left out: 'tile' for 'optimize/tile'");
  addValue(command, "-o,--output", "FILE", options.output,
           "where --until writes the module; '-' (default) is standard output");
  CLI::Option *snapshots =
      addValue(command, "--snapshots", "DIR", options.snapshots,
               "keep the module after each step in this folder: as text for "
               "lh-run report, as bytecode for --from");
  addValue(command, "--from", "BUBBLE", options.from,
           "begin after this bubble, with the module that a run with "
           "--snapshots kept of it; the bubbles before it, their schedules and "
           "the model have to be what they were then")
      ->needs(snapshots);
  CLI::Option *dryRun =
      command.add_flag("--dry-run", options.dryRun,
                       "print each path's steps and the mlir-opt lines that do "
                       "the same; run nothing");
  addValue(command, "--schedules", "DIR", options.schedules,
           "with --dry-run: write the schedules that its lines name into this "
           "folder, each with its libraries and all values in place")
      ->needs(dryRun);
}

static void addReportFileFlags(CLI::App &command, RunCommandOptions &options) {
  FlagHeading heading(command, "Reports and files");
  addValue(command, "--out", "DIR", options.outDir,
           "put report.json, junit.xml, outputs/ and what 'emit' bubbles write "
           "into this folder");
  addJsonFlag(command, options.json, "write the results as JSON");
  addValue(command, "--junit", "FILE", options.junit,
           "write the results as JUnit XML");
  addValue(command, "--lit", "FILE", options.lit,
           "write the results as lit does, with its result codes");
  addValue(command, "--markdown", "FILE", options.markdown,
           "write a summary for the page of a CI system");
  addValue(command, "--annotations", "FILE", options.annotations,
           "write what failed as GitHub's workflow commands");
  addValue(command, "--save-outputs", "DIR", options.saveOutputs,
           "keep every output tensor as .npy in this folder");
  CLI::Option *folder = addValue(
      command, "--failures", "DIR", options.failures,
      "where each failing step leaves a folder that repeats it (default: "
      "failures/ in --out's folder, else lh-failures/MANIFEST)");
  command
      .add_flag("--no-failures", options.noFailures,
                "failing steps leave no folders")
      ->excludes(folder);
}

static void addRunFlags(CLI::App &command, RunCommandOptions &options) {
  addGraphFlags(command, options.run.graph);
  addRunPartFlags(command, options);
  addReportFileFlags(command, options);
  addExecutionFlags(command, options.run);
  command.add_flag(
      "--in-process", options.run.inProcess,
      "run everything in one process, without workers, for a debugger");
  addCacheFlags(command, options.cache);
  addTimingFlags(command, options.timing);
  addPrintFlags(command, options.print);
}

/// Whether what the user wants to see is there only when steps run.
static bool mustRunSteps(const RunCommandOptions &options) {
  return options.print.any() || !options.snapshots.empty() ||
         !options.from.empty() || options.dryRun || options.timing.print ||
         !options.timing.trace.empty();
}

static std::string failuresFolder(const RunCommandOptions &options,
                                  StringRef manifestName) {
  std::string folder = options.failures;
  if (folder.empty() && !options.outDir.empty())
    folder = options.outDir + "/failures";
  if (folder.empty())
    folder = defaultFailuresFolder(manifestName);
  return absolutePath(folder, workingDirectory());
}

static Selection selectionFor(const RunCommandOptions &options) {
  Selection selection = selectionFor(options.run);
  selection.until = options.until;
  if (!options.output.empty())
    selection.untilPath = options.output;
  selection.outputFolder = options.library.path.empty()
                               ? options.outDir
                               : folderOf(options.library.path);
  return selection;
}

/// `--out DIR` stands for the three flags that name files in it.
static RunCommandOptions withOutFolder(RunCommandOptions options) {
  if (options.outDir.empty())
    return options;
  auto defaultTo = [&](std::string &path, StringRef name) {
    if (path.empty())
      path = options.outDir + "/" + name.str();
  };
  defaultTo(options.json, "report.json");
  defaultTo(options.junit, "junit.xml");
  defaultTo(options.saveOutputs, "outputs");
  return options;
}

/// <case>/<data set>/<target>/<sweep point>/<pipeline>, as far as there are
/// such. A folder of ONNX tests makes cases called `case/folder`.
static std::string folderFor(const ResultKey &key) {
  auto [caseName, test] = StringRef(key.caseName).split('/');
  std::string place;
  for (StringRef part :
       {caseName, test, StringRef(key.dataSet), StringRef(key.target),
        StringRef(key.sweep), StringRef(key.pipeline)})
    if (!part.empty())
      place += "/" + fileSafe(part);
  return place;
}

static LogicalResult saveOutputs(ArrayRef<OutputFile> outputs,
                                 const std::string &folder,
                                 DiagnosticSink &sink) {
  std::vector<std::string> names;
  for (const OutputFile &output : outputs)
    names.push_back(output.name);
  for (const auto &[output, name] : llvm::zip(outputs, fileNames(names))) {
    auto buffer = llvm::MemoryBuffer::getFile(output.path);
    if (!buffer)
      continue; // the step failed after it had named the file
    if (failed(writeFileAtomically(folder + "/" + name + ".npy",
                                   (*buffer)->getBuffer(), {}, sink)))
      return failure();
  }
  return success();
}

/// The outputs as files of their own, in a folder for each result.
static LogicalResult saveOutputs(const RunRecord &record, StringRef folder,
                                 DiagnosticSink &sink) {
  std::map<std::string, unsigned> taken;
  for (const PlannedResult &result : record.plan.results) {
    if (!result.skipped.empty() || !result.notApplicable.empty())
      continue;
    std::string place = folder.str() + folderFor(result.key);
    // Two names that differ in what file names can't hold.
    if (unsigned number = ++taken[place]; number > 1)
      place += "-" + std::to_string(number);
    if (failed(saveOutputs(record.outcomes[result.leaf].outputs, place, sink)))
      return failure();
  }
  return success();
}

/// Everything that was asked for as a file. What can't be written fails the
/// run, whatever the numbers say.
static LogicalResult writeReports(const RunRecord &record,
                                  const RunCommandOptions &options,
                                  const ReportContext &context,
                                  DiagnosticSink &sink) {
  bool written = true;
  auto write = [&](const std::string &file, auto report) {
    if (!file.empty())
      written &= succeeded(writeFileAtomically(file, report(), {}, sink));
  };
  write(options.json, [&] { return jsonReport(record, context); });
  write(options.junit, [&] { return junitReport(record); });
  write(options.lit, [&] { return litReport(record); });
  write(options.markdown, [&] { return markdownReport(record); });
  write(options.annotations,
        [&] { return githubAnnotations(record, workingDirectory()); });
  write(options.timing.trace, [&] { return traceJson(record); });
  if (!options.saveOutputs.empty())
    written &= succeeded(saveOutputs(record, options.saveOutputs, sink));
  return success(written);
}

/// Every place that the run will write to is checked before it begins: hours
/// of work must not end with a folder that doesn't exist.
static LogicalResult checkPlaces(const RunCommandOptions &options,
                                 DiagnosticSink &sink) {
  std::vector<std::string> places = {options.json,        options.junit,
                                     options.lit,         options.markdown,
                                     options.annotations, options.timing.trace};
  if (!options.saveOutputs.empty())
    places.push_back(options.saveOutputs + "/any");
  if (!options.library.path.empty())
    places.push_back(options.library.path);
  if (!options.snapshots.empty())
    places.push_back(options.snapshots + "/any");
  if (!options.failures.empty())
    places.push_back(options.failures + "/any");
  if (!options.until.empty() && options.output != "-")
    places.push_back(options.output);
  LogicalResult result = success();
  for (const std::string &place : places)
    if (!place.empty() && failed(checkWritable(place, {}, sink)))
      result = failure();
  return result;
}

/// Steps run elsewhere: a path must mean the same there.
static std::string absoluteFolder(StringRef folder) {
  llvm::SmallString<128> path(folder);
  if (folder.empty() || llvm::sys::fs::make_absolute(path))
    return folder.str();
  return absolutePath(path, "/");
}

/// `--from`: the plan with snapshots in place of what comes before.
static FailureOr<Plan> planFrom(const Plan &plan,
                                const RunCommandOptions &options,
                                RunSetup &setup, DiagnosticSink &sink) {
  std::string folder = absoluteFolder(options.snapshots);
  auto find = [&](StepId step) {
    ModuleHistory history;
    for (StepId id : plan.pathTo(step))
      if (std::string line = historyOf(plan.steps[id]); !line.empty())
        history.push_back(std::move(line));
    return findSnapshot(folder, plan.steps[step], history,
                        setup.engine->session(), sink);
  };
  return resumeAfter(plan, options.from, find, sink);
}

/// Whether another compiler gives a result.
static bool usesTool(const Plan &plan) {
  return llvm::any_of(plan.results, [&](const PlannedResult &result) {
    return result.skipped.empty() && result.notApplicable.empty() &&
           toolOf(plan, result.leaf);
  });
}

static FailureOr<Plan> planRun(const RunCommandOptions &options,
                               RunSetup &setup, DriverEnv &env,
                               DiagnosticSink &sink) {
  bool makesLibrary = !options.library.path.empty();
  if (makesLibrary)
    setLibrary(setup.graph, options.library);
  FailureOr<Plan> plan = setup.plan(selectionFor(options), env, sink);
  if (failed(plan))
    return failure();
  if (makesLibrary && usesTool(*plan)) {
    env.err << "lh-run: a library is made of code of lh-run's own; another "
               "compiler runs a pipeline that was asked for (--pipeline)\n";
    return failure();
  }
  if (!options.from.empty())
    return planFrom(*plan, options, setup, sink);
  return plan;
}

static int dryRun(const Plan &plan, const RunCommandOptions &options,
                  MlirSession &session, DriverEnv &env, DiagnosticSink &sink) {
  return failed(printDryRun(plan, session, absoluteFolder(options.schedules),
                            env.out, sink))
             ? badUsage
             : 0;
}

/// What people read of the run.
static void printRun(const RunRecord &record, const RunCommandOptions &options,
                     DriverEnv &env, DiagnosticSink &sink) {
  // What goes to standard output belongs to `-o -` alone.
  bool moduleOnStdout = !options.until.empty() &&
                        (options.output.empty() || options.output == "-");
  VisibleStream &out = moduleOnStdout ? env.err : env.out;
  TerminalReportOptions report;
  report.color = env.color;
  report.showRemarks = options.run.verbose;
  report.strict = options.run.strict;
  report.explainTolerance = options.run.explainTolerance;
  report.workingDirectory = workingDirectory();
  printReport(record, out, sink, report);
  if (options.cache.explain)
    printCacheUse(record, out);
  if (options.timing.print)
    printTimes(record, out);
}

static std::pair<int, std::optional<RunRecord>>
runManifest(const RunCommandOptions &asked, DriverEnv &env) {
  RunCommandOptions options = withOutFolder(asked);
  ManifestRunOptions &run = options.run;
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  Engine::Options engineOptions;
  engineOptions.startsNothing = options.dryRun;
  engineOptions.runner.module.print = options.print;
  engineOptions.runner.module.timing =
      options.timing.print || !options.timing.trace.empty();
  engineOptions.runner.module.snapshotFolder =
      absoluteFolder(options.snapshots);
  if (!mustRunSteps(options))
    engineOptions.cache = options.cache;
  FailureOr<RunSetup> setup =
      setUpRun(run.graph, engineOptions, sources, env, sink);
  if (failed(setup))
    return {badUsage, std::nullopt};
  FailureOr<Plan> plan = planRun(options, *setup, env, sink);
  if (failed(plan))
    return {badUsage, std::nullopt};
  countArithmetic(*plan);
  Engine &engine = *setup->engine;
  bool planWarned = sink.warningCount() > 0;
  if (options.dryRun)
    return {dryRun(*plan, options, engine.session(), env, sink), std::nullopt};
  if (failed(checkPlaces(options, sink)))
    return {badUsage, std::nullopt};

  std::time_t started = std::time(nullptr);
  RunProgress progress(run.verbose, env);
  RunRecord record = setup->run(*plan, run, progress.observer());
  FailureOr<std::vector<std::string>> libraries =
      handOutLibraries(record, setup->scratch->path(), sink);
  if (!options.noFailures)
    leaveReproducers(record, engine, run,
                     failuresFolder(options, record.plan.manifest),
                     setup->scratch->path(), sink);
  addHints(record, setup->graph, resolveOptions(run.graph, env), env);
  printRun(record, options, env, sink);
  if (succeeded(libraries))
    for (const std::string &library : *libraries)
      env.out << "wrote " << library << "\n";
  ReportContext context;
  if (!options.json.empty())
    context = contextOf(record.plan, setup->graph, engine.session(), sources,
                        options.json, started);
  int code = run.strict && planWarned ? 1 : exitCode(record, run.strict);
  context.exitCode = code;
  LogicalResult written = writeReports(record, options, context, sink);
  if ((failed(written) || failed(libraries)) && code == 0)
    code = 1;
  return {code, std::move(record)};
}

std::pair<int, std::optional<RunRecord>>
lh::runAndReport(const ManifestRunOptions &options, const CacheOptions &cache,
                 DriverEnv &env, const RunProducts &products) {
  RunCommandOptions whole;
  whole.run = options;
  whole.library = products.library;
  whole.json = products.json;
  whole.cache = cache;
  return runManifest(whole, env);
}

static int runRun(const RunCommandOptions &options, DriverEnv &env) {
  return runManifest(options, env).first;
}

CommandRun lh::makeRunCommand(CLI::App &command) {
  return makeCommand(command, addRunFlags, runRun);
}
