// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Jobs in tasks for kinds of machines, and the scripts that submit these.
#ifndef LH_INSIGHT_CI_TASKS_H
#define LH_INSIGHT_CI_TASKS_H

#include "insight/ci/Format.h"
#include "insight/ci/WorkFolder.h"

namespace lh {

/// The tasks that one kind of machine takes.
struct TaskArray {
  std::string kind; ///< also a file name: "x86-avx512", "any"
  std::vector<std::string> labels;
  std::string runner; ///< what `--runner` calls the machines; may be empty
  std::vector<Task> tasks;
  /// Seconds of the longest task; 0 where not all jobs have been timed.
  double longest = 0;
};

/// Jobs that some machine takes, by kind. A task has jobs for half a minute or
/// more, as a scheduler starts few tasks a second; at most 1,000 of a kind are
/// made, which is what arrays hold where nobody has set another limit.
std::vector<TaskArray> taskArrays(ArrayRef<Job> jobs,
                                  const CommandOptions &options);

/// What Slurm's scripts need to know.
struct SlurmOptions {
  std::string program = "lh-run"; ///< on the cluster's machines
  std::string folder;             ///< of the plan, absolute
  std::string workingDirectory;
  unsigned cores = 1; ///< for each task
};

/// The batch script of one array.
std::string slurmScript(const TaskArray &array, const SlurmOptions &options);

/// The batch script that merges what there is.
std::string slurmMergeScript(const SlurmOptions &options);

/// The shell script that submits what is not done, then the merge.
std::string slurmSubmitScript(const SlurmOptions &options);

/// Whether sbatch's message says that the cluster has no such machine.
bool isMissingMachine(StringRef message);

} // namespace lh

#endif // LH_INSIGHT_CI_TASKS_H
