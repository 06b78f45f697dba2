// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `lh.choice` says on the ops of a module.
#ifndef LH_COMPILER_SESSION_OPCHOICES_H
#define LH_COMPILER_SESSION_OPCHOICES_H

#include "core/plan/RunRecord.h"

namespace mlir {
class ModuleOp;
class Operation;
} // namespace mlir

namespace lh {

/// What `lh.choice` says of the op; nothing where it has none.
std::optional<OpChoice> choiceAt(mlir::Operation *op);

/// One walk: the choices of all ops, in their order.
std::vector<OpChoice> choicesIn(mlir::ModuleOp module);

/// What `after` says of a place of the source that `before` doesn't: what an op
/// with a choice has become isn't chosen again.
std::vector<OpChoice> madeBetween(ArrayRef<OpChoice> before,
                                  std::vector<OpChoice> after);

} // namespace lh

#endif // LH_COMPILER_SESSION_OPCHOICES_H
