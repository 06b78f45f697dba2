// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run run`: the whole arc, from a manifest's text to reports.
#include "cli/Commands.h"

#include "cli/DryRun.h"
#include "cli/ExitCodes.h"
#include "cli/FailureFolders.h"
#include "cli/Hints.h"
#include "cli/RunCache.h"
#include "cli/RunContext.h"
#include "cli/RunSetup.h"
#include "compiler/session/Snapshot.h"
#include "core/plan/CountedRuns.h"
#include "core/plan/Resume.h"
#include "core/support/FileNames.h"
#include "core/support/FileSystem.h"
#include "insight/report/Annotations.h"
#include "insight/report/CacheTable.h"
#include "insight/report/Explanation.h"
#include "insight/report/JUnitReport.h"
#include "insight/report/JsonReport.h"
#include "insight/report/MarkdownReport.h"
#include "insight/report/ResultCodes.h"
#include "insight/report/Summary.h"
#include "insight/report/TerminalReport.h"

#include "llvm/Support/FileSystem.h"

using namespace lh;

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
  write(options.trace, [&] { return traceJson(record); });
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
                                     options.annotations, options.trace};
  if (!options.saveOutputs.empty())
    places.push_back(options.saveOutputs + "/any");
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

static int dryRun(const Plan &plan, const RunCommandOptions &options,
                  MlirSession &session, DriverEnv &env, DiagnosticSink &sink) {
  return failed(printDryRun(plan, session, absoluteFolder(options.schedules),
                            env.out, sink))
             ? badUsage
             : 0;
}

int lh::runCommand(const RunCommandOptions &options, DriverEnv &env) {
  return runAndReport(options, env).first;
}

std::pair<int, std::optional<RunRecord>>
lh::runAndReport(const RunCommandOptions &asked, DriverEnv &env) {
  RunCommandOptions options = withOutFolder(asked);
  options.graph.allowExec |= options.dryRun; // which starts nothing
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  Engine::Options engineOptions;
  engineOptions.print = options.print;
  engineOptions.timing = options.timing || !options.trace.empty();
  engineOptions.snapshotFolder = absoluteFolder(options.snapshots);
  if (!mustRunSteps(options))
    engineOptions.cache = options.cache;
  FailureOr<RunSetup> setup =
      setUpRun(options.graph, engineOptions, sources, env, sink);
  if (failed(setup))
    return {badUsage, std::nullopt};
  FailureOr<Plan> plan = setup->plan(selectionFor(options), env, sink);
  if (succeeded(plan) && !options.from.empty())
    plan = planFrom(*plan, options, *setup, sink);
  if (failed(plan))
    return {badUsage, std::nullopt};
  countArithmetic(*plan);
  Engine &engine = *setup->engine;
  bool planWarned = sink.warningCount() > 0;
  if (options.dryRun)
    return {dryRun(*plan, options, engine.session(), env, sink), std::nullopt};
  if (failed(checkPlaces(options, sink)))
    return {badUsage, std::nullopt};

  engine.session().loadAll();
  std::time_t started = std::time(nullptr);
  RunRecord record =
      runPlan(*plan, engine, options, setup->scratch->path(), env);
  leaveReproducers(record, engine, options, setup->scratch->path(), sink);
  addHints(record, setup->graph, resolveOptions(options.graph, env), env);
  // What goes to standard output belongs to `-o -` alone.
  bool moduleOnStdout = !options.until.empty() &&
                        (options.output.empty() || options.output == "-");
  TerminalReportOptions report;
  report.color = env.color;
  report.showRemarks = options.verbose;
  report.strict = options.strict;
  report.explainTolerance = options.explainTolerance;
  report.workingDirectory = workingDirectory();
  printReport(record, moduleOnStdout ? env.err : env.out, sink, report);
  if (options.cache.explain)
    printCacheUse(record, moduleOnStdout ? env.err : env.out);
  if (options.timing)
    printTimes(record, moduleOnStdout ? env.err : env.out);
  ReportContext context;
  if (!options.json.empty())
    context = contextOf(record.plan, setup->graph, engine.session(), sources,
                        options.json, started);
  LogicalResult written = writeReports(record, options, context, sink);
  int code =
      options.strict && planWarned ? 1 : exitCode(record, options.strict);
  if (failed(written) && code == 0)
    code = 1;
  return {code, std::move(record)};
}
