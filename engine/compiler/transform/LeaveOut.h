// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transform operations that can be left out, as MLIR's actions let passes be.
#ifndef LH_COMPILER_TRANSFORM_LEAVEOUT_H
#define LH_COMPILER_TRANSFORM_LEAVEOUT_H

#include "mlir/IR/Action.h"
#include "mlir/IR/Operation.h"

namespace lh {

/// One of `transform.lh.*` is about to do what it is there for: to match, or to
/// change the payload. Upstream's interpreter has no action for its operations.
class TransformOpAction : public mlir::tracing::ActionImpl<TransformOpAction> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TransformOpAction)
  static constexpr llvm::StringLiteral tag = "lh-transform-op";

  TransformOpAction(llvm::ArrayRef<mlir::IRUnit> units, mlir::Operation *op)
      : ActionImpl(units), op(op) {}

  llvm::StringRef name() const { return op->getName().getStringRef(); }

private:
  mlir::Operation *op;
};

/// Whether the context's handler of actions, if there is one, leaves `op` out.
/// A matcher then matches nothing, and another op does nothing.
bool isLeftOut(mlir::Operation *op);

} // namespace lh

#endif // LH_COMPILER_TRANSFORM_LEAVEOUT_H
