// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run work`: does what is left of a plan that `lh-run ci` wrote.
#include "cli/Command.h"

#include "cli/JobRunner.h"
#include "cli/SharedOptions.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

namespace {
struct WorkOptions {
  std::string folder;
  std::string kind; ///< empty: all
  std::optional<size_t> task;
  unsigned atATime = 1;
  bool listsMissing = false;
  size_t mostElements = 1001; ///< Slurm's MaxArraySize
};
} // namespace

static void addWorkFlags(CLI::App &command, WorkOptions &options) {
  addValue(command, "folder", "DIR", options.folder,
           "what 'lh-run ci --format local' or '--format slurm' wrote")
      ->required();
  addValue(command, "-j,--jobs", "N", options.atATime,
           "jobs that run at a time (default: 1)")
      ->check(CLI::Range(1, 1024));
  CLI::Option *kind = addValue(command, "--kind", "KIND", options.kind,
                               "only jobs for this kind of machine: the name "
                               "of a file in DIR/tasks");
  CLI::Option *task = addValue(command, "--task", "I", options.task,
                               "of these only the I-th task, from 0")
                          ->needs(kind);
  CLI::Option *missing = command.add_flag(
      "--missing", options.listsMissing,
      "run nothing: print the numbers of the tasks that are not done, as "
      "sbatch takes them, each line with the number to add to them before");
  missing->needs(kind)->excludes(task);
  addValue(command, "--at-most", "N", options.mostElements,
           "with --missing: numbers in a line stay below N, the scheduler's "
           "limit (default: 1001)")
      ->needs(missing)
      ->check(CLI::PositiveNumber);
}

namespace {

/// One call of the command. Everything is borrowed.
class Work {
public:
  Work(const WorkOptions &options, DriverEnv &env)
      : options(options), env(env), sources(env.files),
        sink(env.err, sources, sinkOptions(env)) {}

  int run();

private:
  LogicalResult readAll();
  LogicalResult pickTask();
  void printMissing();

  const WorkOptions &options;
  DriverEnv &env;
  SourceStore sources;
  StreamSink sink;
  std::vector<Task> tasks;
};

} // namespace

LogicalResult Work::readAll() {
  std::string folder = options.folder + "/tasks";
  std::vector<std::string> kinds;
  for (const std::string &file : listFolder(env.files, folder))
    if (StringRef name(file); name.consume_back(".jsonl"))
      kinds.push_back(name.str());
  if (kinds.empty())
    return sink.error(DiagKind::DriverBadPlan, {},
                      "'" + options.folder +
                          "' holds no plan: there are no tasks in '" + folder +
                          "'; write one with 'lh-run ci --format local -o " +
                          options.folder + "'");
  if (!options.kind.empty()) {
    if (!llvm::is_contained(kinds, options.kind))
      return sink.error(DiagKind::DriverBadPlan, {},
                        "the plan has no tasks for machines of kind '" +
                            options.kind + "'; it has some for " +
                            llvm::join(kinds, ", "));
    kinds = {options.kind};
  }
  for (const std::string &kind : kinds) {
    FailureOr<std::vector<Task>> read =
        readTasks(folder + "/" + kind + ".jsonl", sources, sink);
    if (failed(read))
      return failure();
    llvm::append_range(tasks, *read);
  }
  return success();
}

LogicalResult Work::pickTask() {
  if (!options.task)
    return success();
  if (*options.task >= tasks.size())
    return sink.error(DiagKind::DriverBadPlan, {},
                      "--task " + Twine(*options.task) + ": there are " +
                          Twine(tasks.size()) + " tasks for '" + options.kind +
                          "', from 0 on");
  tasks = {tasks[*options.task]};
  return success();
}

void Work::printMissing() {
  std::map<size_t, std::vector<size_t>> byFirst;
  for (const auto &[i, task] : llvm::enumerate(tasks)) {
    bool isLeft = llvm::any_of(task.jobs, [&](const TaskJob &job) {
      return !readEnd(options.folder + "/results/" + job.name);
    });
    if (isLeft)
      byFirst[i - i % options.mostElements].push_back(i % options.mostElements);
  }
  for (const auto &[first, numbers] : byFirst)
    env.out << first << ' ' << arrayRanges(numbers) << '\n';
}

int Work::run() {
  if (failed(readAll()) || failed(pickTask()))
    return badUsage;
  if (options.listsMissing) {
    printMissing();
    return 0;
  }
  std::vector<TaskJob> jobs;
  for (const Task &task : tasks)
    llvm::append_range(jobs, task.jobs);
  JobRunner runner(absolutePath(options.folder, workingDirectory()) +
                       "/results",
                   options.atATime, env, sink);
  if (!runner.run(jobs))
    return 1; // why was said
  env.out << "all " << jobs.size() << " jobs have ended\n";
  return 0;
}

static int runWork(const WorkOptions &options, DriverEnv &env) {
  return Work(options, env).run();
}

CommandRun lh::makeWorkCommand(CLI::App &command) {
  return makeCommand(command, addWorkFlags, runWork);
}
