// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs that a plan starts, and whether it may.
#ifndef LH_CLI_EXTERNALPROGRAMS_H
#define LH_CLI_EXTERNALPROGRAMS_H

#include "core/plan/Plan.h"
#include "runtime/abi/HostFacts.h"

namespace lh {

/// Whether `step` starts a program that its manifest or its target names.
bool startsProgram(const Step &step, const HostFacts &host);

/// Fails with a diagnostic for each command of `plan`, and for each emulator of
/// a target that is not one of `libraries`: without --allow-exec only targets
/// of the installed library choose what is started.
LogicalResult refusePrograms(const Plan &plan, const HostFacts &host,
                             ArrayRef<std::string> libraries,
                             DiagnosticSink &sink);

} // namespace lh

#endif // LH_CLI_EXTERNALPROGRAMS_H
