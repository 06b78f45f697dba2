// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole program, given its environment.
#ifndef LH_CLI_DRIVER_H
#define LH_CLI_DRIVER_H

#include "core/support/DriverEnv.h"

namespace lh {

/// Parses the command line and carries the command out; the exit code.
int driverMain(int argc, const char *const *argv, DriverEnv &env);

} // namespace lh

#endif // LH_CLI_DRIVER_H
