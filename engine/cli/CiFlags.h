// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of the commands for CI systems.
#ifndef LH_CLI_CIFLAGS_H
#define LH_CLI_CIFLAGS_H

#include "cli/CommandLine.h"

namespace CLI {
class App;
}

namespace lh {

CLI::App *declareCi(CLI::App &app, CiOptions &options);
CLI::App *declareCoverage(CLI::App &app, CoverageOptions &options);

} // namespace lh

#endif // LH_CLI_CIFLAGS_H
