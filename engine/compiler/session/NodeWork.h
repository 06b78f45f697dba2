// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each node of a model has to compute and to move.
#ifndef LH_COMPILER_SESSION_NODEWORK_H
#define LH_COMPILER_SESSION_NODEWORK_H

#include "core/plan/CallProfile.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// For a module that was just imported, by the names of the nodes that its
/// linalg ops come from, or by their places: what these compute, and the bytes
/// of the tensors that come from other nodes and go to others, each once.
/// Views move nothing; a size that isn't known counts as 1.
std::vector<NodeWork> nodeWork(mlir::ModuleOp module);

} // namespace lh

#endif // LH_COMPILER_SESSION_NODEWORK_H
