// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process that watches over workers and keeps the record.
#ifndef LH_CORE_EXEC_COORDINATOR_H
#define LH_CORE_EXEC_COORDINATOR_H

#include "core/exec/Executor.h"
#include "core/exec/Ledger.h"

namespace lh {

/// By step: whether fewer cases lie below it than above it, so that a run that
/// has failed need not begin it.
std::vector<bool> stepsThatBeginCases(const Plan &plan);

/// Runs all of `plan` in worker processes and fills `ledger`. Returns whether
/// a signal ended it early.
bool coordinate(const Plan &plan, StepRunner &runner,
                const ExecOptions &options, Ledger &ledger);

} // namespace lh

#endif // LH_CORE_EXEC_COORDINATOR_H
