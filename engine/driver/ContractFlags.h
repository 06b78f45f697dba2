// The flags of the commands about contracts.
#ifndef LH_DRIVER_CONTRACTFLAGS_H
#define LH_DRIVER_CONTRACTFLAGS_H

#include "driver/CommandLine.h"

namespace CLI {
class App;
}

namespace lh {

void declareContract(CLI::App &app, ContractOptions &options);
void declareInfer(CLI::App &app, InferOptions &options);
void declarePlan(CLI::App &app, PlanOptions &options);

} // namespace lh

#endif // LH_DRIVER_CONTRACTFLAGS_H
