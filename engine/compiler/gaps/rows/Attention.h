// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds attention, and brings it into a form that one loop can hold.
#ifndef LH_COMPILER_GAPS_ROWS_ATTENTION_H
#define LH_COMPILER_GAPS_ROWS_ATTENTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace lh {

/// Two batched products: `scores`, and `values`, whose left operand is computed
/// from the scores along their rows.
struct Attention {
  mlir::linalg::LinalgOp scores;
  mlir::linalg::LinalgOp values;
};

/// Finds all attention in a function: products with a batch and more than one
/// row, between them elementwise ops, at least one reduction, and reshapes.
/// Turns it into generic ops that read each other: reshapes between them become
/// dimensions, copies that only reorder or repeat an operand become indexing
/// maps. Fails when the rewriting doesn't end.
mlir::FailureOr<llvm::SmallVector<Attention>>
exposeAttention(mlir::FunctionOpInterface function);

} // namespace lh

#endif // LH_COMPILER_GAPS_ROWS_ATTENTION_H
