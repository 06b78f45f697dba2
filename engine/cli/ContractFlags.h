// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of the commands about contracts.
#ifndef LH_CLI_CONTRACTFLAGS_H
#define LH_CLI_CONTRACTFLAGS_H

#include "cli/CommandLine.h"

namespace CLI {
class App;
}

namespace lh {

CLI::App *declareContract(CLI::App &app, ContractOptions &options);
CLI::App *declareInfer(CLI::App &app, InferOptions &options);
CLI::App *declarePlan(CLI::App &app, PlanOptions &options);

} // namespace lh

#endif // LH_CLI_CONTRACTFLAGS_H
