// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Jobs in tasks for kinds of machines.
#include "insight/ci/Tasks.h"

#include "insight/ci/Distribution.h"

using namespace lh;

static Task taskOf(ArrayRef<Job> jobs, const CommandOptions &options) {
  Task task;
  for (const Job &job : jobs)
    task.jobs.push_back({job.fileName(),
                         job.title(),
                         runCommand(job, options),
                         {{"--json", recordFile}, {"--failures", "failures"}}});
  return task;
}

std::vector<TaskArray> lh::taskArrays(ArrayRef<Job> jobs,
                                      const CommandOptions &options) {
  constexpr double leastSeconds = 30;
  constexpr size_t mostTasks = 1000;
  std::map<std::string, std::vector<Job>> groups;
  for (const Job &job : jobs)
    if (job.whyNot.empty())
      groups[job.kind()].push_back(job);
  std::vector<TaskArray> arrays;
  for (auto &[kind, group] : groups) {
    double seconds = 0;
    bool areTimed = true;
    for (const Job &job : group) {
      seconds += job.seconds;
      areTimed &= job.wasRecorded;
    }
    auto count = static_cast<size_t>(seconds / leastSeconds);
    count = std::clamp<size_t>(count, 1, std::min(group.size(), mostTasks));
    TaskArray array{kind, group[0].labels, group[0].runner, {}, 0};
    for (const std::vector<Job> &portion : portions(group, count)) {
      double own = 0;
      for (const Job &job : portion)
        own += job.seconds;
      if (areTimed)
        array.longest = std::max(array.longest, own);
      array.tasks.push_back(taskOf(portion, options));
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}
