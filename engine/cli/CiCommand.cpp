// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run ci`: what a CI system is to run.
#include "insight/ci/Contradictions.h"

#include "cli/Changes.h"
#include "cli/Commands.h"
#include "cli/ExitCodes.h"
#include "cli/GraphLoader.h"
#include "cli/RunLoader.h"
#include "cli/Version.h"
#include "core/support/FileSystem.h"
#include "insight/ci/Cover.h"
#include "insight/ci/Distribution.h"
#include "insight/ci/Durations.h"
#include "insight/ci/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace lh;

namespace {

/// One call of the command. Everything is borrowed.
class Ci {
public:
  Ci(const CiOptions &options, DriverEnv &env, SourceStore &sources,
     DiagnosticSink &sink)
      : options(options), env(env), sources(sources), sink(sink) {}

  LogicalResult collect();
  LogicalResult write();

private:
  LogicalResult loadJobs();
  LogicalResult checkPatterns(const std::set<std::string> &used);
  LogicalResult addDurations();
  LogicalResult chooseRunners();
  LogicalResult keepAffected();
  void keepCover();
  LogicalResult keepShard();
  void reportSkipped();
  CommandOptions commandOptions() const;
  LogicalResult writeBundled(const CommandOptions &command);
  LogicalResult writeUploads(const CommandOptions &command);
  LogicalResult put(const std::string &text, const std::string &file);
  LogicalResult tooMany(const Twine &message) {
    return sink.error(DiagKind::DriverTooManyJobs, {}, message);
  }

  const CiOptions &options;
  DriverEnv &env;
  SourceStore &sources;
  DiagnosticSink &sink;
  std::vector<Job> jobs;
};

} // namespace

LogicalResult Ci::loadJobs() {
  JobChoice choice{options.targets, options.graph.pipelines,
                   options.graph.cases};
  choice.simulates = options.graph.device != "real";
  choice.usesDevices = options.graph.device != "sim";
  std::set<std::string> used;
  LogicalResult result = success();
  unsigned errors = sink.errorCount();
  std::vector<ResolvedGraph> graphs;
  for (const std::string &manifest : options.manifests) {
    FailureOr<ResolvedGraph> graph =
        loadGraph(manifest, resolveOptions(options.graph, env), sources, sink);
    if (failed(graph)) {
      result = failure();
      continue;
    }
    llvm::append_range(jobs, makeJobs(*graph, manifest, choice, used, sink));
    graphs.push_back(std::move(*graph));
  }
  if (failed(result) || sink.errorCount() != errors ||
      failed(checkContradictions(graphs, {env.today, versions()}, sink)))
    return failure();
  makeUnique(jobs);
  return checkPatterns(used);
}

/// A pattern that picks nothing of any manifest is a slip.
LogicalResult Ci::checkPatterns(const std::set<std::string> &used) {
  LogicalResult result = success();
  for (auto [kind, what, patterns] :
       {std::tuple(DiagKind::PlanUnknownTarget, "target", &options.targets),
        std::tuple(DiagKind::PlanUnknownPipeline, "pipeline",
                   &options.graph.pipelines),
        std::tuple(DiagKind::PlanUnknownCase, "case", &options.graph.cases)})
    for (const std::string &pattern : *patterns)
      if (!used.count(pattern))
        result = sink.error(kind, {},
                            "no manifest has a " + Twine(what) + " '" +
                                pattern + "'");
  return result;
}

LogicalResult Ci::addDurations() {
  Durations durations;
  for (const std::string &place : options.durations) {
    FailureOr<std::vector<SavedRun>> runs = loadRuns(place, env, sources, sink);
    if (failed(runs))
      return failure();
    if (runs->empty())
      sink.warning(DiagKind::DriverBadDurations, {},
                   "'" + place +
                       "' has no run record (lh-run run --json); nothing is "
                       "known of how long jobs take");
    llvm::for_each(*runs, [&](const auto &run) { durations.add(run); });
  }
  durations.apply(jobs);
  return success();
}

LogicalResult Ci::chooseRunners() {
  std::vector<Runner> runners;
  for (const std::string &text : options.runners) {
    std::optional<Runner> runner = parseRunner(text);
    if (!runner)
      return sink.error(DiagKind::DriverCommandFailed, {},
                        "--runner " + text +
                            ": write NAME=LABEL,LABEL, a machine and what it "
                            "has");
    runners.push_back(*runner);
  }
  assignRunners(jobs, runners);
  return success();
}

LogicalResult Ci::keepAffected() {
  if (options.affectedBy.empty())
    return success();
  FailureOr<std::vector<std::string>> changed =
      changedSince(options.affectedBy, workingDirectory(), sink);
  if (failed(changed))
    return failure();
  std::vector<std::string> always;
  for (const std::string &library : env.libraryDirs)
    for (StringRef part : {"engine", "CMakeLists.txt"})
      always.push_back(absolutePath(part, library));
  llvm::erase_if(
      jobs, [&](const Job &job) { return !isAffected(job, *changed, always); });
  return success();
}

void Ci::keepCover() {
  if (!options.budgetMinutes)
    return;
  std::vector<Job> possible;
  llvm::copy_if(jobs, std::back_inserter(possible),
                [](const Job &job) { return job.whyNot.empty(); });
  Cover cover = coverEdges(possible, *options.budgetMinutes * 60);
  env.err << "budget: " << cover.jobs.size() << " of " << possible.size()
          << " jobs see " << cover.edges << " of " << cover.allEdges
          << " edges in " << llvm::format("%.1f", cover.seconds / 60)
          << " minutes\n";
  jobs = std::move(cover.jobs);
}

LogicalResult Ci::keepShard() {
  if (options.shard.empty())
    return success();
  std::optional<Shard> shard = parseShard(options.shard);
  if (!shard)
    return sink.error(DiagKind::DriverBadShard, {},
                      "--shard " + options.shard +
                          ": write I/N, the I-th of N portions, from 1 to N");
  jobs = std::move(portions(jobs, shard->count)[shard->index - 1]);
  return success();
}

/// What no runner takes is told, and left to the forms that can show it.
void Ci::reportSkipped() {
  for (const Job &job : jobs)
    if (!job.whyNot.empty())
      env.err << "skipped: " << job.title() << ": " << oneLine(job.whyNot)
              << '\n';
  bool runs =
      llvm::any_of(jobs, [](const Job &job) { return job.whyNot.empty(); });
  if (!runs)
    sink.warning(DiagKind::DriverNoJobs, {},
                 "there is nothing to run: no job is left of what was asked "
                 "for");
}

LogicalResult Ci::collect() {
  if (failed(loadJobs()) || failed(addDurations()) || failed(chooseRunners()) ||
      failed(keepAffected()))
    return failure();
  keepCover();
  if (failed(keepShard()))
    return failure();
  reportSkipped();
  return success();
}

CommandOptions Ci::commandOptions() const {
  CommandOptions command;
  command.program = options.program;
  command.resultsDir = options.resultsDir;
  command.workingDirectory = workingDirectory();
  auto add = [&](const char *flag, ArrayRef<std::string> values) {
    for (const std::string &value : values)
      command.flags.insert(command.flags.end(), {flag, value});
  };
  add("--library", options.graph.libraryDirs);
  add("--plugin", options.graph.plugins);
  if (options.graph.allowExec)
    command.flags.push_back("--allow-exec");
  if (options.stepTimeout > 0) {
    std::string seconds;
    llvm::raw_string_ostream(seconds)
        << llvm::format("%g", options.stepTimeout);
    add("--step-timeout", seconds);
  }
  return command;
}

LogicalResult Ci::put(const std::string &text, const std::string &file) {
  if (file.empty() || file == "-") {
    env.out << text;
    return success();
  }
  return writeFileAtomically(file, text, {}, sink);
}

/// What the systems with one file take: as many jobs as fit, in bundles.
LogicalResult Ci::writeBundled(const CommandOptions &command) {
  bool isGithub = options.format == "github";
  size_t most = isGithub ? mostGithubJobs : jobs.size();
  size_t bytes = isGithub ? mostGithubBytes : mostGitlabBytes;
  FailureOr<std::vector<std::vector<Job>>> portions = bundles(jobs, most);
  if (failed(portions))
    return tooMany("more kinds of machine are needed than the " + Twine(most) +
                   " jobs that GitHub takes; pick targets with --target");
  std::string text = isGithub ? githubMatrix(*portions, command)
                              : gitlabPipeline(*portions, command);
  if (text.size() > bytes)
    return tooMany("the jobs take " + Twine(text.size()) + " bytes, and " +
                   options.format + " takes " + Twine(bytes) +
                   "; take a part of them with --shard I/N");
  return put(text, options.output);
}

/// Buildkite takes as many uploads as one likes, each of limited length.
LogicalResult Ci::writeUploads(const CommandOptions &command) {
  std::vector<std::vector<Job>> portions;
  for (Job &job : jobs)
    portions.push_back({job});
  Portions all = portions;
  if (all.size() <= mostBuildkiteJobs)
    return put(buildkitePipeline(all, command), options.output);
  if (options.output.empty() || options.output == "-")
    return tooMany(Twine(all.size()) + " jobs, and Buildkite takes " +
                   Twine(mostBuildkiteJobs) +
                   " in an upload; write several files with -o FILE, or take "
                   "a part of them with --shard I/N");
  for (size_t i = 0; i * mostBuildkiteJobs < all.size(); ++i) {
    std::string file = options.output;
    if (i > 0)
      file += "." + std::to_string(i + 1);
    Portions part =
        all.drop_front(i * mostBuildkiteJobs).take_front(mostBuildkiteJobs);
    if (failed(put(buildkitePipeline(part, command), file)))
      return failure();
  }
  return success();
}

LogicalResult Ci::write() {
  CommandOptions command = commandOptions();
  if (options.format == "json")
    return put(jobsJson(jobs, command), options.output);
  if (options.format == "ctest")
    return put(ctestFile(jobs, command), options.output);
  llvm::erase_if(jobs, [](const Job &job) { return !job.whyNot.empty(); });
  return options.format == "buildkite" ? writeUploads(command)
                                       : writeBundled(command);
}

int lh::ciCommand(const CiOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  Ci ci(options, env, sources, sink);
  return failed(ci.collect()) || failed(ci.write()) ? badUsage : 0;
}
