// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose iterations need nothing from each other, and what each of these
// must have for itself when they run side by side.
#ifndef LH_COMPILER_GAPS_MEMORY_INDEPENDENTLOOPS_H
#define LH_COMPILER_GAPS_MEMORY_INDEPENDENTLOOPS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace lh {

/// Sets `lh.independent` on the loops over tensors in `root` whose iterations
/// threads could share; empty tensors that they use move into them.
void markIndependentLoops(mlir::Operation *root);

/// What each iteration must have for itself, if the iterations of a loop that
/// is marked as independent run side by side; nothing where it can't be told,
/// or where a buffer that isn't an iteration's own is written in places that
/// are not known to be different ones.
mlir::FailureOr<llvm::SmallVector<mlir::memref::AllocOp>>
ownBuffersOf(mlir::scf::ForOp loop);

} // namespace lh

#endif
