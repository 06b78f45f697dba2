// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What form a module is in: one walk over it.
#ifndef LH_COMPILER_SESSION_FORMGATHERER_H
#define LH_COMPILER_SESSION_FORMGATHERER_H

#include "core/graph/ModuleForm.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// Counts what contracts are about. The module itself is the frame of the
/// payload, not part of it. Stack memory that a scope gives back in each turn
/// of a loop (memref.alloca_scope, llvm.intr.stacksave) is in no loop.
ModuleForm gatherForm(mlir::ModuleOp module);

} // namespace lh

#endif // LH_COMPILER_SESSION_FORMGATHERER_H
