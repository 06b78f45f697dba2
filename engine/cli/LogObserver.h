// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--verbose`: every step as a log line on standard error.
#ifndef LH_CLI_LOGOBSERVER_H
#define LH_CLI_LOGOBSERVER_H

#include "core/support/DriverEnv.h"
#include "insight/report/LiveObserver.h"

#include <memory>

namespace spdlog {
class logger;
}

namespace lh {

/// Logs through spdlog and tells `next` the same.
class LogObserver : public RunObserver {
public:
  LogObserver(RunObserver &next, bool color);
  ~LogObserver() override;

  void runStarted(const Plan &plan) override;
  void stepStarted(const Step &step) override;
  void stepFinished(const Step &step, const StepOutcome &outcome) override;
  void resultFinished(const ResultRecord &record) override;
  void runFinished(const RunRecord &record) override;

private:
  RunObserver &next;
  std::shared_ptr<spdlog::logger> log;
};

/// Shows how a run goes: by a live line on a terminal, else a line per result;
/// with --verbose, by a log line per step.
class RunProgress {
public:
  RunProgress(bool isVerbose, const DriverEnv &env)
      : isVerbose(isVerbose),
        live(env.err, env.errIsTerminal && !isVerbose, env.width),
        log(live, env.color) {}

  void setJudgesNothing() { live.setJudgesNothing(); }

  RunObserver &observer() {
    return isVerbose ? static_cast<RunObserver &>(log) : live;
  }

private:
  bool isVerbose;
  LiveObserver live;
  LogObserver log;
};

} // namespace lh

#endif // LH_CLI_LOGOBSERVER_H
