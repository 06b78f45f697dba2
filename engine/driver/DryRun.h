// `--dry-run`: the plan in words that can be pasted into a shell.
#ifndef LH_DRIVER_DRYRUN_H
#define LH_DRIVER_DRYRUN_H

#include "plan/Plan.h"

#include "llvm/Support/raw_ostream.h"

namespace lh {

class MlirSession;

/// Prints each result's steps in order with the mlir-opt line that does the
/// same; what several results share is printed once.
void printDryRun(const Plan &plan, MlirSession &session,
                 llvm::raw_ostream &out);

} // namespace lh

#endif // LH_DRIVER_DRYRUN_H
