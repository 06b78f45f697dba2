// The buffers that the iterations of a loop read and write.
#ifndef LH_COMPILER_GAPS_MEMORY_LOOPBUFFERS_H
#define LH_COMPILER_GAPS_MEMORY_LOOPBUFFERS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace lh {

/// What each iteration must have for itself, if the iterations of a loop that is
/// marked as independent run side by side; nothing where it can't be told, or
/// where a buffer that isn't an iteration's own is written in places that are
/// not known to be different ones.
mlir::FailureOr<llvm::SmallVector<mlir::memref::AllocOp>>
ownBuffersOf(mlir::scf::ForOp loop);

} // namespace lh

#endif
