// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of operations, which findOperation() asks in turn.
#ifndef LH_RUNTIME_SIM_OPERATIONFAMILIES_H
#define LH_RUNTIME_SIM_OPERATIONFAMILIES_H

#include "runtime/sim/Operation.h"

namespace lh {

/// The operation of this name on `chip`; nothing when the family has none.
using OperationFinder = std::optional<SimOperation>(
    const SimOperationName &name, const SimChip &chip);

/// Special registers, fences, and what does nothing here.
OperationFinder findRegister;
OperationFinder findBarrier;
/// Vendors' arithmetic intrinsics, by the host's libm.
OperationFinder findMathOperation;
/// Shuffles, votes, reductions and barriers of a warp.
OperationFinder findWarpOperation;
/// ldmatrix, stmatrix and mma.sync.
OperationFinder findMatrixOperation;
/// cp.async.
OperationFinder findAsyncCopy;
/// mbarrier.*, as intrinsics and as inline assembly.
OperationFinder findPhaseBarrier;
/// cp.async.bulk.tensor.*: loads of tiles, as intrinsics and as inline
/// assembly.
OperationFinder findTensorCopy;
OperationFinder findWgmma;
/// Cross-lane and matrix operations of AMD's waves.
OperationFinder findAmdOperation;
/// Shuffles and matrix products of Intel's subgroups.
OperationFinder findIntelOperation;

} // namespace lh

#endif // LH_RUNTIME_SIM_OPERATIONFAMILIES_H
