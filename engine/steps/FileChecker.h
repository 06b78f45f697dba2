// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `expect:` and the `filecheck` of contracts: LLVM's FileCheck on a module's
// text.
#ifndef LH_STEPS_FILECHECKER_H
#define LH_STEPS_FILECHECKER_H

#include "core/manifest/Manifest.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// Reports a file that can't be read, that has no directive with the prefix,
/// or a malformed one; nothing is checked.
LogicalResult readCheckFile(const CheckFile &check, DiagnosticSink &sink);

/// Checks the module's text. What it breaks is reported at the directive, with
/// the lines of the module as notes in '<module>'.
LogicalResult checkText(mlir::ModuleOp module, const CheckFile &check,
                        DiagnosticSink &sink);

/// checkText for each of `checks`; reports what all of them find.
LogicalResult checkExpectations(mlir::ModuleOp module,
                                ArrayRef<CheckFile> checks,
                                DiagnosticSink &sink);

} // namespace lh

#endif // LH_STEPS_FILECHECKER_H
