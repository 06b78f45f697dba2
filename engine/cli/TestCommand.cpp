// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run test`: runs the manifests that lie beside bubbles.
#include "cli/Command.h"

#include "cli/BubbleTests.h"
#include "cli/RunAndReport.h"
#include "cli/SharedOptions.h"
#include "core/support/FileSystem.h"
#include "insight/report/JUnitReport.h"
#include "insight/report/JsonReport.h"
#include "steps/GraphLoader.h"
#include "steps/RunSetup.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

namespace {
struct TestOptions {
  std::vector<std::string> what; ///< none: every bubble of the library
  ManifestRunOptions run;        ///< of each test; without its manifest
  CacheOptions cache;
  std::string json, junit; ///< reports of all tests
};
} // namespace

static void addTestFlags(CLI::App &command, TestOptions &options) {
  ManifestRunOptions &run = options.run;
  command.add_option("bubble", options.what,
                     "lib:area/name, a bubble file, its test, or a folder of "
                     "bubbles (default: the whole library)");
  addValue(command, "--target", "NAME", run.graph.target,
           "run the tests for this target");
  command.add_flag("--strict", run.strict,
                   "bubbles without a test, warnings, and bubbles and matches "
                   "that find nothing to do fail");
  command.add_flag("-v,--verbose", run.verbose, "log each step");
  addJsonFlag(command, options.json,
              "write all results as JSON: under 'tests' each bubble with its "
              "exit code and its report");
  addValue(command, "--junit", "FILE", options.junit,
           "write all results as JUnit XML, a suite for each bubble");
  addThreadsFlag(command, run.graph);
  addJobsFlag(command, run);
  addCacheFlags(command, options.cache);
  addAllowExecFlag(command, run.graph.allowExec);
  addLibraryFlags(command, run.graph.libraryDirs, run.graph.plugins);
}

namespace {

constexpr int somethingFailed = 1;

/// How many bubbles came to what.
struct Tally {
  size_t passed = 0, failed = 0, skipped = 0, untested = 0;
  bool unusable = false; ///< a test could not be read
};

} // namespace

/// What becomes of one bubble's test.
static TestRun runBubbleTest(const BubbleTest &test, const TestOptions &options,
                             DriverEnv &env) {
  ManifestRunOptions run = options.run;
  run.graph.manifest = test.manifest;
  run.keepGoing = true;
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  FailureOr<ResolvedGraph> graph =
      loadGraph(test.manifest, resolveOptions(run.graph, env), sources, sink);
  if (failed(graph) || failed(checkBubbleTest(test, *graph, sink)))
    return {test.name, test.manifest, badUsage, std::nullopt};
  auto [code, record] = runAndReport(run, options.cache, env);
  if (code == 0 && record && failed(checkBubbleActed(test, *record, sink)))
    code = somethingFailed;
  return {test.name, test.manifest, code, std::move(record)};
}

/// The reports of all tests that were asked for.
static LogicalResult writeReports(ArrayRef<TestRun> runs,
                                  const TestOptions &options,
                                  DiagnosticSink &sink) {
  bool written = true;
  if (!options.json.empty())
    written &= succeeded(
        writeFileAtomically(options.json, jsonReports(runs), {}, sink));
  if (!options.junit.empty())
    written &= succeeded(writeFileAtomically(
        options.junit, junitReports(runs, options.run.strict), {}, sink));
  return success(written);
}

static void count(int code, Tally &tally) {
  tally.unusable |= code == badUsage;
  if (code == 0)
    ++tally.passed;
  else if (code == nothingRan)
    ++tally.skipped;
  else
    ++tally.failed;
}

static int exitCodeOf(const Tally &tally, bool strict) {
  if (tally.unusable)
    return badUsage;
  if (tally.failed > 0 || (strict && tally.untested > 0))
    return somethingFailed;
  return tally.passed > 0 ? 0 : nothingRan;
}

static int runTest(const TestOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  ResolveOptions resolve = resolveOptions(options.run.graph, env);
  FailureOr<std::vector<BubbleTest>> tests =
      findBubbleTests(options.what, resolve.libraryDirs,
                      resolve.workingDirectory, env.files, sink);
  if (failed(tests))
    return badUsage;
  Tally tally;
  std::vector<TestRun> runs;
  for (const BubbleTest &test : *tests) {
    if (test.manifest.empty()) {
      ++tally.untested;
      runs.push_back({test.name, "", std::nullopt, std::nullopt});
      continue;
    }
    env.out << "== " << test.name << '\n';
    env.out.flush();
    runs.push_back(runBubbleTest(test, options, env));
    count(*runs.back().code, tally);
  }
  env.out << "bubbles: " << tally.passed << " passed, " << tally.failed
          << " failed, " << tally.skipped << " skipped, " << tally.untested
          << " without a test\n";
  int code = exitCodeOf(tally, options.run.strict);
  bool written = succeeded(writeReports(runs, options, sink));
  return !written && code == 0 ? somethingFailed : code;
}

CommandRun lh::makeTestCommand(CLI::App &command) {
  return makeCommand(command, addTestFlags, runTest);
}
