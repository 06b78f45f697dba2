// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the jobs of a plan's folder as processes, some at a time.
#ifndef LH_CLI_JOBRUNNER_H
#define LH_CLI_JOBRUNNER_H

#include "core/support/DriverEnv.h"
#include "insight/ci/WorkFolder.h"

#include <deque>

namespace lh {

/// A job that is done is left alone, so that whoever is started again, or does
/// the same as another, loses and repeats nothing. SIGTERM, SIGINT and SIGHUP
/// end the jobs that run, which then are not done.
class JobRunner {
public:
  /// `results` is the folder of jobs' folders, which exists or can be made.
  JobRunner(std::string results, unsigned atATime, DriverEnv &env,
            DiagnosticSink &sink)
      : results(std::move(results)), atATime(atATime), env(env), sink(sink) {}

  /// Whether all jobs are done now; why not, if not, has been said.
  bool run(ArrayRef<TaskJob> jobs);

private:
  struct Running {
    const TaskJob *job = nullptr;
    unsigned start = 0;
    double began = 0;
  };

  std::string folderOf(const TaskJob &job) const {
    return results + "/" + job.name;
  }
  bool begin(const TaskJob &job);
  bool isLost(const TaskJob &job);
  bool launch(const TaskJob &job, unsigned start);
  void collectEnded();
  bool end(const TaskJob &job, const JobEnd &how);
  bool giveUp(const Twine &message);
  void tell(const TaskJob &job, const JobEnd &how);

  std::string results;
  unsigned atATime;
  DriverEnv &env;
  DiagnosticSink &sink;
  std::deque<const TaskJob *> waiting;
  std::map<pid_t, Running> running;
  std::map<const TaskJob *, unsigned> deaths; ///< that this runner has seen
  size_t all = 0, done = 0;
  /// Nothing more is begun: a signal, or something that no job is to blame for.
  bool isStopping = false;
  bool wasEnded = false; ///< a signal came, and ends the jobs that run
};

} // namespace lh

#endif // LH_CLI_JOBRUNNER_H
