// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run coverage`: what of the pipeline space runs have seen.
#include "cli/Command.h"

#include "cli/SharedOptions.h"
#include "compiler/session/ModelOps.h"
#include "core/plan/Cases.h"
#include "core/support/FileSystem.h"
#include "insight/ci/Coverage.h"
#include "insight/ci/Merge.h"
#include "steps/GraphLoader.h"

using namespace lh;

namespace {
struct CoverageOptions {
  std::vector<std::string> manifests;
  GraphOptions graph;            ///< folders alone
  std::vector<std::string> runs; ///< run records, and folders of them
  std::string json;
};
} // namespace

static void addCoverageFlags(CLI::App &command, CoverageOptions &options) {
  addManifests(command, options.manifests);
  addRepeatedFlag(
      command, "--runs", options.runs, "PATH",
      "a run record (run --json), a folder of them, or one of many (merge "
      "--json); may be repeated")
      ->required();
  addJsonFlag(command, options.json,
              "write all bubbles, edges, ops and targets as JSON: whether each "
              "was never seen, ran, or passed");
  addLibraryFlag(command, options.graph.libraryDirs);
}

/// What the cases' models consist of. What can't be read has no operations,
/// which is said, and no more: the corpus may not be on this machine.
static void addModels(const ResolvedGraph &graph, MlirSession &session,
                      DriverEnv &env, Coverage &coverage) {
  CollectingSink problems;
  Selection all;
  all.recordsGoldens = true;
  FailureOr<std::vector<ExpandedCase>> cases =
      expandCases(graph, all, env.files, problems);
  if (succeeded(cases))
    for (const ExpandedCase &one : *cases) {
      auto model = one.values.find("model");
      if (model == one.values.end() || !one.absent.empty())
        continue;
      FailureOr<std::set<std::string>> ops =
          opsOfModel(std::get<std::string>(model->second), session, problems);
      if (succeeded(ops))
        coverage.addModel(graph.name, one.name, *ops);
    }
  if (problems.errorCount() > 0)
    env.err << "ops of " << oneLine(graph.name) << " are not all known: "
            << oneLine(problems.diagnostics().front().message) << '\n';
}

static int runCoverage(const CoverageOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  Coverage coverage;
  MlirSession session;
  bool usable = true;
  for (const std::string &manifest : options.manifests) {
    FailureOr<ResolvedGraph> graph =
        loadGraph(manifest, resolveOptions(options.graph, env), sources, sink);
    if (succeeded(graph)) {
      coverage.addSpace(*graph);
      addModels(*graph, session, env, coverage);
    }
    usable &= succeeded(graph);
  }
  size_t counted = 0, strange = 0;
  for (const std::string &place : options.runs) {
    usable &=
        succeeded(forEachRun(place, sources, sink, [&](const SavedRun &run) {
          ++(coverage.addRun(run) ? counted : strange);
        }));
  }
  if (!usable)
    return badUsage;
  env.out << "runs: " << counted << " of these manifests";
  if (strange)
    env.out << ", " << strange << " of others";
  env.out << '\n';
  printCoverage(coverage, env.out);
  if (options.json.empty())
    return 0;
  return failed(writeFileAtomically(options.json, coverageJson(coverage), {},
                                    sink))
             ? 1
             : 0;
}

CommandRun lh::makeCoverageCommand(CLI::App &command) {
  return makeCommand(command, addCoverageFlags, runCoverage);
}
