// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which strategy is to compute an op: `lh.choice`, a `#dlti.map` with at least
// "strategy" and "rule", and numbers of the strategy's.
#ifndef LH_COMPILER_GAPS_CHOICE_H
#define LH_COMPILER_GAPS_CHOICE_H

#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Operation.h"

namespace lh {

/// The op's choice; null where it has none.
mlir::MapAttr choiceOf(mlir::Operation *op);

/// What the op's choice has under `key`; null where it has nothing, or there is
/// no choice.
mlir::Attribute chosen(mlir::Operation *op, llvm::StringRef key);

/// The chosen strategy; empty where there is none.
llvm::StringRef strategyOf(mlir::Operation *op);

/// Whether a strategy may take the op: it is chosen, or none is.
bool mayTake(mlir::Operation *op, llvm::StringRef strategy);

/// For ops that the strategy can't compute, as it turns out: takes its name off
/// them, so that what stands behind it may take them.
void refuse(mlir::Operation *op, llvm::StringRef strategy);

} // namespace lh

#endif // LH_COMPILER_GAPS_CHOICE_H
