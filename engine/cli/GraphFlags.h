// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of the commands that read manifests and run nothing.
#ifndef LH_CLI_GRAPHFLAGS_H
#define LH_CLI_GRAPHFLAGS_H

#include "cli/CommandLine.h"

namespace CLI {
class App;
}

namespace lh {

CLI::App *declareCheck(CLI::App &app, CheckOptions &options);
CLI::App *declareList(CLI::App &app, ListOptions &options);
CLI::App *declareDraw(CLI::App &app, DrawOptions &options);

} // namespace lh

#endif // LH_CLI_GRAPHFLAGS_H
