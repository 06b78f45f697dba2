// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of the commands that run manifests.
#ifndef LH_CLI_RUNFLAGS_H
#define LH_CLI_RUNFLAGS_H

#include "cli/CommandLine.h"

namespace CLI {
class App;
}

namespace lh {

CLI::App *declareRun(CLI::App &app, RunCommandOptions &options);
CLI::App *declareBench(CLI::App &app, BenchOptions &options);
CLI::App *declareTest(CLI::App &app, TestOptions &options);
CLI::App *declareRecord(CLI::App &app, RecordOptions &options);

} // namespace lh

#endif // LH_CLI_RUNFLAGS_H
