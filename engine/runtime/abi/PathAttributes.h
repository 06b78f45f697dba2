// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths in modules: where weights lie, and where ops come from.
#ifndef LH_RUNTIME_ABI_PATHATTRIBUTES_H
#define LH_RUNTIME_ABI_PATHATTRIBUTES_H

#include "core/support/Diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class Attribute;
class Operation;
} // namespace mlir

namespace lh {

/// What becomes of a text that may be a path.
using PathChange = llvm::function_ref<std::string(StringRef)>;

/// Changes the texts in all attributes and locations of `op` and in it.
void changePaths(mlir::Operation *op, PathChange change);

/// The attribute with its texts changed.
mlir::Attribute withPaths(mlir::Attribute attribute, PathChange change);

} // namespace lh

#endif // LH_RUNTIME_ABI_PATHATTRIBUTES_H
