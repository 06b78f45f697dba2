// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transform operations that can be left out, as MLIR's actions let passes be.
#include "compiler/transform/LeaveOut.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Unit.h"

bool lh::isLeftOut(mlir::Operation *op) {
  bool isDone = false;
  op->getContext()->executeAction<TransformOpAction>([&] { isDone = true; },
                                                     {op}, op);
  return !isDone;
}
