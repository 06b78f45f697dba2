// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run watch`: a run after each change of a file that it depends on.
#include "cli/Command.h"

#include "cli/RunAndReport.h"
#include "cli/SharedOptions.h"
#include "core/support/FileSystem.h"

#include "llvm/Support/FileSystem.h"

#include <chrono>
#include <map>
#include <set>
#include <thread>

using namespace lh;

namespace {
struct WatchOptions {
  ManifestRunOptions run;
  CacheOptions cache;
  unsigned runs = 0; ///< so many, then it ends; 0: until it is interrupted
};

/// What tells that a file has changed; nothing of one that isn't there.
using FileState = std::pair<llvm::sys::TimePoint<>, uint64_t>;
using FileStates = std::map<std::string, std::optional<FileState>>;
} // namespace

static void addWatchFlags(CLI::App &command, WatchOptions &options) {
  addGraphFlags(command, options.run.graph);
  addValue(command, "--runs", "N", options.runs,
           "end after so many runs (default: 0, until Ctrl-C)");
  addExecutionFlags(command, options.run);
  addCacheFlags(command, options.cache);
}

static void addFiles(const Step &step, std::set<std::string> &files) {
  files.insert(step.declaredAt.file);
  if (const auto *import = std::get_if<ImportAction>(&step.action))
    files.insert(import->path);
  if (const auto *schedule = std::get_if<ScheduleAction>(&step.action)) {
    files.insert(schedule->file);
    files.insert(schedule->libraries.begin(), schedule->libraries.end());
  }
  if (const auto *patterns = std::get_if<PatternsAction>(&step.action))
    files.insert(patterns->file);
  for (const CheckFile &check : step.expect)
    files.insert(check.file);
}

/// What the last run read. One that didn't get far read the manifest.
static std::set<std::string> filesOf(const std::optional<RunRecord> &record,
                                     const std::string &manifest) {
  std::set<std::string> files = {absolutePath(manifest, workingDirectory())};
  if (record)
    files.insert(record->plan.dialects.begin(), record->plan.dialects.end());
  if (record)
    for (const Step &step : record->plan.steps)
      addFiles(step, files);
  files.erase("");
  return files;
}

static FileStates look(const std::set<std::string> &files) {
  FileStates states;
  for (const std::string &file : files) {
    llvm::sys::fs::file_status status;
    std::optional<FileState> &state = states[file];
    if (!llvm::sys::fs::status(file, status) &&
        llvm::sys::fs::is_regular_file(status))
      state = {status.getLastModificationTime(), status.getSize()};
  }
  return states;
}

/// Until something has changed, and editors are done with it.
static void waitForChange(const FileStates &before,
                          const std::set<std::string> &files) {
  constexpr std::chrono::milliseconds pause(100);
  FileStates seen = before;
  while (seen == before) {
    std::this_thread::sleep_for(pause);
    seen = look(files);
  }
  for (FileStates last; last != seen; seen = look(files)) {
    last = seen;
    std::this_thread::sleep_for(pause);
  }
}

static int runWatch(const WatchOptions &options, DriverEnv &env) {
  std::set<std::string> files =
      filesOf(std::nullopt, options.run.graph.manifest);
  for (unsigned done = 1;; ++done) {
    // A change during the run starts another one.
    FileStates before = look(files);
    auto [code, record] = runAndReport(options.run, options.cache, env);
    if ((record && record->interrupted) || done == options.runs)
      return code;
    std::set<std::string> read = filesOf(record, options.run.graph.manifest);
    if (!record) // what was read when it was right may mend it
      read.insert(files.begin(), files.end());
    FileStates now = look(read);
    before.insert(now.begin(), now.end());
    files = std::move(read);
    env.out << "watching " << files.size() << " files; Ctrl-C ends\n";
    env.out.flush();
    FileStates known;
    for (const std::string &file : files)
      known[file] = before.at(file);
    waitForChange(known, files);
  }
}

CommandRun lh::makeWatchCommand(CLI::App &command) {
  return makeCommand(command, addWatchFlags, runWatch);
}
