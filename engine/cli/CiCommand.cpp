// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run ci`: what a CI system is to run.
#include "cli/Command.h"

#include "cli/Changes.h"
#include "cli/SharedOptions.h"
#include "core/support/FileSystem.h"
#include "core/support/InOrder.h"
#include "core/support/Version.h"
#include "insight/ci/Contradictions.h"
#include "insight/ci/Cover.h"
#include "insight/ci/Distribution.h"
#include "insight/ci/Durations.h"
#include "insight/ci/Merge.h"
#include "insight/ci/Tasks.h"
#include "insight/map/DescribeGraph.h"
#include "steps/GraphLoader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

#include <mutex>

using namespace lh;

namespace {
struct CiOptions {
  std::vector<std::string> manifests;
  GraphOptions graph; ///< pipelines, cases, folders and plugins of all
  std::vector<std::string> targets; ///< globs; none: all
  std::string format = "json";
  std::string output;             ///< empty or "-": standard output
  std::string program = "lh-run"; ///< what jobs call
  std::string resultsDir = "lh-results";
  /// Of each job, in seconds; 0: none. No step of a shipped manifest takes as
  /// long, and code that doesn't end costs a CI system this much.
  double stepTimeout = 600;
  std::vector<std::string> runners;   ///< NAME=LABEL,LABEL
  std::vector<std::string> durations; ///< run records, and folders of them
  std::string shard;                  ///< I/N; empty: all
  std::string affectedBy;             ///< a git revision; empty: all
  unsigned cores = 1;
  std::optional<double> budgetMinutes;
};
} // namespace

static void addJobChoiceFlags(CLI::App &command, CiOptions &options) {
  FlagHeading heading(command, "Choosing jobs");
  addValue(command, "--shard", "I/N", options.shard,
           "only the I-th of N portions that take about as long");
  addValue(command, "--affected-by", "REV", options.affectedBy,
           "only jobs whose files changed since this git revision");
  addValue(command, "--budget", "MINUTES", options.budgetMinutes,
           "the jobs that see most edges of the pipelines in this time")
      ->check(CLI::NonNegativeNumber);
  addRepeatedFlag(command, "--durations", options.durations, "PATH",
                  "run records (run --json), folders of them, or one of many "
                  "(merge --json), that tell how long jobs take; may be "
                  "repeated");
}

static void addCiFlags(CLI::App &command, CiOptions &options) {
  addManifests(command, options.manifests);
  addValue(command, "--format", "FORMAT", options.format,
           "what reads it (default: json)")
      ->check(CLI::IsMember({"json", "github", "gitlab", "buildkite", "ctest",
                             "local", "slurm"}));
  addValue(command, "-o,--output", "FILE|DIR", options.output,
           "where it goes (default: standard output); a folder for 'local' and "
           "'slurm'");
  addValue(command, "--cores", "N", options.cores,
           "of each job, for 'slurm' (default: 1)")
      ->check(CLI::PositiveNumber);
  addRepeatedFlag(command, "--runner", options.runners, "NAME=LABELS",
                  "a machine to ask for by name, and the labels that it has, "
                  "with commas between them; may be repeated");
  addValue(command, "--program", "FILE", options.program,
           "the lh-run that jobs call (default: lh-run)");
  addValue(command, "--results", "DIR", options.resultsDir,
           "the folder that jobs put their reports into (default: lh-results)");
  addValue(command, "--step-timeout", "SECONDS", options.stepTimeout,
           "end a step of a job that takes longer than this; 0: never "
           "(default: 600)")
      ->check(CLI::NonNegativeNumber);
  addDeviceFlag(command, options.graph);
  addJobChoiceFlags(command, options);
  FlagHeading heading(command, "Choosing jobs");
  addRepeatedFlag(command, "--target", options.targets, "NAME",
                  "only these targets: a name or a glob; may be repeated");
  addNameFlags(command, options.graph);
  addLibraryFlags(command, options.graph.libraryDirs, options.graph.plugins);
  addAllowExecFlag(command, options.graph.allowExec);
}

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
  /// What one manifest comes to.
  struct Loaded {
    FailureOr<ResolvedGraph> graph = failure();
    std::vector<Job> jobs;
    std::set<std::string> used; ///< patterns
    std::vector<Diagnostic> problems;
  };

  Loaded load(const std::string &manifest, const JobChoice &choice);
  LogicalResult loadJobs();
  LogicalResult checkPatterns(const std::set<std::string> &used);
  void detail();
  LogicalResult addDurations();
  LogicalResult chooseRunners();
  LogicalResult keepAffected();
  void keepCover();
  LogicalResult keepShard();
  void reportSkipped();
  CommandOptions commandOptions() const;
  LogicalResult writeBundled(const CommandOptions &command);
  LogicalResult writeUploads(const CommandOptions &command);
  bool writesPlan() const {
    return options.format == "local" || options.format == "slurm";
  }
  LogicalResult writePlan(CommandOptions command);
  LogicalResult writeText(const std::string &text, const std::string &file);
  LogicalResult tooMany(const Twine &message) {
    return sink.error(DiagKind::DriverTooManyJobs, {}, message);
  }

  const CiOptions &options;
  DriverEnv &env;
  SourceStore &sources;
  DiagnosticSink &sink;
  std::vector<ResolvedGraph> graphs;
  std::vector<Job> jobs;
  std::mutex idleMutex;
  std::vector<std::unique_ptr<SourceStore>> idle; ///< one for each thread
};

} // namespace

/// Reads a manifest with what others have read on this thread before.
Ci::Loaded Ci::load(const std::string &manifest, const JobChoice &choice) {
  std::unique_ptr<SourceStore> own;
  {
    std::lock_guard lock(idleMutex);
    if (!idle.empty()) {
      own = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (!own)
    own = std::make_unique<SourceStore>(env.files);
  Loaded loaded;
  CollectingSink found;
  loaded.graph =
      loadGraph(manifest, resolveOptions(options.graph, env), *own, found);
  if (succeeded(loaded.graph))
    loaded.jobs = makeJobs(*loaded.graph, manifest, choice, loaded.used, found);
  loaded.problems = found.take();
  std::lock_guard lock(idleMutex);
  idle.push_back(std::move(own));
  return loaded;
}

LogicalResult Ci::loadJobs() {
  JobChoice choice{options.targets, options.graph.pipelines,
                   options.graph.cases};
  choice.simulates = options.graph.device != "real";
  choice.usesDevices = options.graph.device != "sim";
  std::set<std::string> used;
  LogicalResult result = success();
  unsigned errors = sink.errorCount();
  makeInOrder<Loaded>(
      options.manifests.size(),
      [&](size_t i) { return load(options.manifests[i], choice); },
      [&](Loaded &&loaded) {
        for (const Diagnostic &problem : loaded.problems)
          sink.emit(problem);
        if (failed(loaded.graph)) {
          result = failure();
          return;
        }
        used.merge(loaded.used);
        llvm::move(loaded.jobs, std::back_inserter(jobs));
        graphs.push_back(std::move(*loaded.graph));
      });
  if (failed(result) || sink.errorCount() != errors ||
      failed(checkContradictions(graphs, {env.today, versions()}, sink)))
    return failure();
  makeUnique(jobs);
  return checkPatterns(used);
}

/// Fills in what jobs depend on, graph by graph.
void Ci::detail() {
  std::map<StringRef, std::vector<Job *>> byManifest;
  for (Job &job : jobs)
    byManifest[job.manifest].push_back(&job);
  for (auto [manifest, graph] : llvm::zip_equal(options.manifests, graphs)) {
    auto own = byManifest.find(manifest);
    if (own == byManifest.end())
      continue;
    MapSource space = describeGraph(graph);
    for (Job *job : own->second)
      addDetails(*job, graph, space);
  }
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
    size_t count = 0;
    if (failed(forEachRun(place, sources, sink, [&](const SavedRun &run) {
          durations.add(run);
          ++count;
        })))
      return failure();
    if (count == 0)
      sink.warning(DiagKind::DriverBadDurations, {},
                   "'" + place +
                       "' has no run record (lh-run run --json); nothing is "
                       "known of how long jobs take");
  }
  durations.apply(jobs);
  return success();
}

LogicalResult Ci::chooseRunners() {
  std::vector<Runner> runners;
  for (const std::string &text : options.runners) {
    std::optional<Runner> runner = parseRunner(text);
    if (!runner)
      return sink.error(
          DiagKind::DriverCommandFailed, {},
          "--runner " + text +
              ": write NAME=LABEL,LABEL, a machine and what it has");
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
    sink.warning(
        DiagKind::DriverNoJobs, {},
        "there is nothing to run: no job is left of what was asked for");
}

LogicalResult Ci::collect() {
  if (failed(loadJobs()) || failed(addDurations()) || failed(chooseRunners()))
    return failure();
  // Only what is left in the end needs details, unless these are what decides.
  bool isEarly = !options.affectedBy.empty() || options.budgetMinutes;
  if (isEarly)
    detail();
  if (failed(keepAffected()))
    return failure();
  keepCover();
  if (failed(keepShard()))
    return failure();
  bool showsDetails = options.format == "json" || writesPlan();
  if (!isEarly && showsDetails)
    detail();
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

LogicalResult Ci::writeText(const std::string &text, const std::string &file) {
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
  return writeText(text, options.output);
}

/// Buildkite takes as many uploads as one likes, each of limited length.
LogicalResult Ci::writeUploads(const CommandOptions &command) {
  std::vector<std::vector<Job>> portions;
  for (Job &job : jobs)
    portions.push_back({job});
  Portions all = portions;
  if (all.size() <= mostBuildkiteJobs)
    return writeText(buildkitePipeline(all, command), options.output);
  if (options.output.empty() || options.output == "-")
    return tooMany(Twine(all.size()) + " jobs, and Buildkite takes " +
                   Twine(mostBuildkiteJobs) +
                   " in an upload; write several files with -o FILE, or take a "
                   "part of them with --shard I/N");
  for (size_t i = 0; i * mostBuildkiteJobs < all.size(); ++i) {
    std::string file = options.output;
    if (i > 0)
      file += "." + std::to_string(i + 1);
    Portions part =
        all.drop_front(i * mostBuildkiteJobs).take_front(mostBuildkiteJobs);
    if (failed(writeText(buildkitePipeline(part, command), file)))
      return failure();
  }
  return success();
}

/// Results stay where they are: jobs that are in both plans are not run again.
LogicalResult Ci::writePlan(CommandOptions command) {
  if (options.output.empty() || options.output == "-")
    return sink.error(DiagKind::DriverCommandFailed, {},
                      "--format " + options.format +
                          " writes a folder; name it with -o DIR");
  std::string folder = absolutePath(options.output, workingDirectory());
  command.resultsDir = folder + "/results";
  bool written = true;
  auto put = [&](const std::string &file, const std::string &text) {
    written = written && succeeded(writeFileAtomically(folder + "/" + file,
                                                       text, {}, sink));
  };
  (void)llvm::sys::fs::remove_directories(folder + "/tasks");
  SlurmOptions slurm{.program = options.program,
                     .folder = folder,
                     .workingDirectory = command.workingDirectory,
                     .cores = options.cores};
  bool isSlurm = options.format == "slurm";
  for (const TaskArray &array : taskArrays(jobs, command)) {
    std::string lines;
    for (const Task &task : array.tasks)
      lines += writeTask(task) + "\n";
    put("tasks/" + array.kind + ".jsonl", lines);
    if (isSlurm)
      put("tasks/" + array.kind + ".sbatch", slurmScript(array, slurm));
  }
  if (isSlurm) {
    put("merge.sbatch", slurmMergeScript(slurm));
    put("submit.sh", slurmSubmitScript(slurm));
    (void)llvm::sys::fs::create_directories(folder + "/log");
  }
  (void)llvm::sys::fs::create_directories(command.resultsDir);
  put("plan.json", jobsJson(jobs, command));
  return success(written);
}

LogicalResult Ci::write() {
  CommandOptions command = commandOptions();
  if (writesPlan())
    return writePlan(command);
  if (options.format == "json")
    return writeText(jobsJson(jobs, command), options.output);
  if (options.format == "ctest")
    return writeText(ctestFile(jobs, command), options.output);
  llvm::erase_if(jobs, [](const Job &job) { return !job.whyNot.empty(); });
  return options.format == "buildkite" ? writeUploads(command)
                                       : writeBundled(command);
}

static int runCi(const CiOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  Ci ci(options, env, sources, sink);
  return failed(ci.collect()) || failed(ci.write()) ? badUsage : 0;
}

CommandRun lh::makeCiCommand(CLI::App &command) {
  return makeCommand(command, addCiFlags, runCi);
}
