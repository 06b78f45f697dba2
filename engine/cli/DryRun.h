// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--dry-run`: the plan in words that can be pasted into a shell.
#ifndef LH_CLI_DRYRUN_H
#define LH_CLI_DRYRUN_H

#include "core/plan/Plan.h"
#include "core/support/Diagnostic.h"

#include "llvm/Support/raw_ostream.h"

namespace lh {

class MlirSession;

/// Prints each result's steps in order with the mlir-opt line that does the
/// same; what several results share is printed once. With `schedules`, a
/// folder, lines name copies of the schedules there, which have all
/// values in place; what can't be written there is reported.
LogicalResult printDryRun(const Plan &plan, MlirSession &session,
                          StringRef schedules, llvm::raw_ostream &out,
                          DiagnosticSink &sink);

} // namespace lh

#endif // LH_CLI_DRYRUN_H
