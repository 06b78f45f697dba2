// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows how a run goes.
#ifndef LH_CLI_RUNPROGRESS_H
#define LH_CLI_RUNPROGRESS_H

#include "cli/LogObserver.h"
#include "core/support/DriverEnv.h"
#include "insight/report/LiveObserver.h"

namespace lh {

/// By a live line on a terminal, else a line per result; with --verbose, by a
/// log line per step.
class RunProgress {
public:
  RunProgress(bool isVerbose, const DriverEnv &env)
      : isVerbose(isVerbose),
        live(env.err, env.errIsTerminal && !isVerbose, env.width),
        log(live, env.color) {}

  RunObserver &observer() {
    return isVerbose ? static_cast<RunObserver &>(log) : live;
  }

private:
  bool isVerbose;
  LiveObserver live;
  LogObserver log;
};

} // namespace lh

#endif // LH_CLI_RUNPROGRESS_H
