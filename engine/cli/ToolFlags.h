// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of the commands that need no manifest.
#ifndef LH_CLI_TOOLFLAGS_H
#define LH_CLI_TOOLFLAGS_H

#include "cli/CommandLine.h"

namespace CLI {
class App;
}

namespace lh {

CLI::App *declareApply(CLI::App &app, ApplyOptions &options);
CLI::App *declareSchema(CLI::App &app, SchemaOptions &options);
CLI::App *declareOps(CLI::App &app, OpsOptions &options);
CLI::App *declareDoctor(CLI::App &app, DoctorOptions &options);
CLI::App *declareCompare(CLI::App &app, CompareOptions &options);
CLI::App *declareReport(CLI::App &app, ReportOptions &options);
CLI::App *declareCompletion(CLI::App &app, CompletionOptions &options);

} // namespace lh

#endif // LH_CLI_TOOLFLAGS_H
