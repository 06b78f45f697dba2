// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contracts (`requires:`, `ensures:`, `preserves:`) checked on the IR itself.
#ifndef LH_STEPS_FORMCHECKER_H
#define LH_STEPS_FORMCHECKER_H

#include "core/graph/FormFacts.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// Reports every clause of `form` that the module breaks, at the contract's
/// place with the first offending operation as a note. `what` is 'requires' or
/// 'ensures'. The builtin dialect is always allowed; nested gpu.modules are
/// looked into only where the clause names a gpu dialect.
LogicalResult checkForm(mlir::ModuleOp module, const FormDecl &form,
                        StringRef what, DiagnosticSink &sink);
/// The same for a form that is known; `filecheck:` is not looked at.
LogicalResult checkForm(const ModuleForm &found, const FormDecl &form,
                        StringRef what, DiagnosticSink &sink);

/// Reports at `where` what of `preserved` the step that made `after` of
/// `before` didn't keep.
LogicalResult checkPreserved(const ModuleForm &before, const ModuleForm &after,
                             ArrayRef<std::string> preserved,
                             const SourceSpan &where, DiagnosticSink &sink);

} // namespace lh

#endif // LH_STEPS_FORMCHECKER_H
