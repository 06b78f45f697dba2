// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folder of a plan of jobs that many processes, on any machine that sees
// it, work on: what there is to do, and what is done.
//
//   plan.json              all jobs, as `lh-run ci --format json` lists them
//   tasks/KIND.jsonl       a line per task, for one kind of machine
//   results/JOB/exit       how the job ended; written last
//   results/JOB/N/         the N-th start: report.json, log.txt, failures/
#ifndef LH_INSIGHT_CI_WORKFOLDER_H
#define LH_INSIGHT_CI_WORKFOLDER_H

#include "core/support/SourceStore.h"

namespace lh {

/// A job as a process runs it.
struct TaskJob {
  std::string name; ///< its folder in results/
  std::string title;
  std::vector<std::string> command;
  /// Flags that take a file or folder in the start's own, put behind the
  /// command's second word: {"--json", "report.json"}.
  std::vector<std::pair<std::string, std::string>> files;
};

/// What one element of an array does, job by job.
struct Task {
  std::vector<TaskJob> jobs;
};

/// A line of a file of tasks, without its end.
std::string writeTask(const Task &task);

/// All tasks of the file. Fails with an error at the line that is none.
FailureOr<std::vector<Task>> readTasks(StringRef path, SourceStore &sources,
                                       DiagnosticSink &sink);

/// The name of a start's record.
inline constexpr const char *recordFile = "report.json";
/// What a job prints.
inline constexpr const char *logFile = "log.txt";

/// How a job came to its end.
struct JobEnd {
  /// Of the job that was begun `mostStarts` times and never ended.
  static constexpr int lost = 70;

  int code = 0;       ///< its exit code
  unsigned start = 0; ///< the number of the start whose files count
  double seconds = 0;
  std::string host;
};

/// A job that ends its process, or its machine, so often is lost.
inline constexpr unsigned mostStarts = 3;

/// Whatever the file holds; nothing where the job in `folder` has not ended.
std::optional<JobEnd> readEnd(StringRef folder);

/// The disk has it when this returns, and the record of the start before it.
std::error_code writeEnd(StringRef folder, const JobEnd &end);

std::string startFolder(StringRef folder, unsigned start);

/// Counts a start of the job in `folder` before it begins, whoever else does so
/// at the same time: makes the start's folder. 0: there were `mostStarts`.
llvm::ErrorOr<unsigned> countStart(StringRef folder);

/// How often it was begun.
unsigned startsOf(StringRef folder);

/// "0-3,7": the numbers as sbatch's --array takes them.
std::string arrayRanges(ArrayRef<size_t> numbers);

} // namespace lh

#endif // LH_INSIGHT_CI_WORKFOLDER_H
