// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of `lh-run reduce`.
#ifndef LH_CLI_REDUCEFLAGS_H
#define LH_CLI_REDUCEFLAGS_H

#include "cli/CommandLine.h"

namespace CLI {
class App;
}

namespace lh {

CLI::App *declareReduce(CLI::App &app, ReduceOptions &options);

} // namespace lh

#endif // LH_CLI_REDUCEFLAGS_H
