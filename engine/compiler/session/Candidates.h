// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which strategies can compute the products of a module.
#ifndef LH_COMPILER_SESSION_CANDIDATES_H
#define LH_COMPILER_SESSION_CANDIDATES_H

#include "core/plan/Plan.h"
#include "core/plan/RunRecord.h"

namespace mlir {
class ModuleOp;
class Operation;
} // namespace mlir

namespace lh {

class Schedule;

/// The products and convolutions of a module that nothing is chosen for yet.
std::vector<mlir::Operation *> unchosenProducts(mlir::ModuleOp module);

/// Asks `schedule`, which is that of `action`, has strategies and has been
/// applied to `module`, of each of its `products` which of them can compute it.
std::vector<OpCandidates> candidatesOf(ArrayRef<mlir::Operation *> products,
                                       mlir::ModuleOp module,
                                       const Schedule &schedule,
                                       const ScheduleAction &action);

} // namespace lh

#endif // LH_COMPILER_SESSION_CANDIDATES_H
