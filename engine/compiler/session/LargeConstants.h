// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps what large constants hold in files beside a module.
#ifndef LH_COMPILER_SESSION_LARGECONSTANTS_H
#define LH_COMPILER_SESSION_LARGECONSTANTS_H

#include "core/support/Diagnostic.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// Whether a constant of `module` is too large to be in a snapshot.
bool hasLargeConstants(mlir::ModuleOp module);

/// Replaces each large constant by a resource without contents, which mlir-opt
/// reads too, and writes the contents to `<folder>/<hash>.bin` where they
/// aren't there yet: snapshots of one run share them.
LogicalResult storeLargeConstants(mlir::ModuleOp module, StringRef folder,
                                  const SourceSpan &from, DiagnosticSink &sink);

/// Undoes storeLargeConstants(): the module has its constants again, bit by
/// bit. Fails, with [ir-bad-snapshot], where contents are gone or damaged.
LogicalResult restoreLargeConstants(mlir::ModuleOp module, StringRef folder,
                                    const SourceSpan &from,
                                    DiagnosticSink &sink);

} // namespace lh

#endif // LH_COMPILER_SESSION_LARGECONSTANTS_H
