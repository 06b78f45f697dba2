// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of `lh-run bisect`.
#ifndef LH_CLI_BISECTFLAGS_H
#define LH_CLI_BISECTFLAGS_H

#include "cli/CommandLine.h"

namespace CLI {
class App;
}

namespace lh {

CLI::App *declareBisect(CLI::App &app, BisectOptions &options);

} // namespace lh

#endif // LH_CLI_BISECTFLAGS_H
