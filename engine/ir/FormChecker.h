// Contracts (`requires:`, `ensures:`) checked on the IR itself.
#ifndef LH_IR_FORMCHECKER_H
#define LH_IR_FORMCHECKER_H

#include "manifest/Manifest.h"

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

} // namespace lh

#endif // LH_IR_FORMCHECKER_H
