// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of `lh-run explain`.
#ifndef LH_CLI_EXPLAINFLAGS_H
#define LH_CLI_EXPLAINFLAGS_H

#include "cli/CommandLine.h"

namespace CLI {
class App;
}

namespace lh {

CLI::App *declareExplain(CLI::App &app, ExplainOptions &options);

/// `--timing` and `--trace`, which `run` has too.
void addTimingFlags(CLI::App &command, RunCommandOptions &run);

} // namespace lh

#endif // LH_CLI_EXPLAINFLAGS_H
