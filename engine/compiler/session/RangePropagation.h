// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intervals of all values of a function, from those of its arguments.
#ifndef LH_COMPILER_SESSION_RANGEPROPAGATION_H
#define LH_COMPILER_SESSION_RANGEPROPAGATION_H

#include "compiler/session/ExactInterval.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseMap.h"

namespace lh {

/// Walks a function's operations in order and stops at the first that rounds.
class RangePropagation {
public:
  /// What stood in the way.
  struct Obstacle {
    std::string why;
    /// Smaller inputs would not help.
    bool always = true;
  };

  void set(mlir::Value value, const ExactInterval &interval) {
    intervals[value] = interval;
  }
  const ExactInterval &operator[](mlir::Value value) {
    return intervals[value];
  }

  /// The intervals of all values in `block`, whose arguments are set. Fails at
  /// an operation that may round; obstacle() says which.
  LogicalResult run(mlir::Block &block);
  const Obstacle &obstacle() const { return found; }

  /// Fails with the obstacle "'<op>' <why>".
  LogicalResult fail(mlir::Operation *op, const llvm::Twine &why, bool always);

private:
  LogicalResult check(mlir::Value value, const ExactInterval &interval,
                      mlir::Operation *op);
  LogicalResult visit(mlir::Operation *op);
  LogicalResult visitFloat(mlir::Operation *op);
  LogicalResult visitDivision(mlir::Operation *op);
  LogicalResult visitInteger(mlir::Operation *op);
  LogicalResult visitRegions(mlir::Operation *op);
  LogicalResult visitLoop(mlir::scf::ForOp loop);
  LogicalResult visitCall(mlir::func::CallOp call);
  LogicalResult visitLinalg(mlir::linalg::LinalgOp op);
  LogicalResult accumulate(mlir::linalg::LinalgOp op);
  LogicalResult accumulateByFixpoint(mlir::linalg::LinalgOp op);
  std::optional<ExactInterval>
  accumulated(mlir::Operation *combiner, mlir::Value accumulator, double steps);
  LogicalResult move(mlir::Operation *op);
  LogicalResult rounds(mlir::Operation *op);
  LogicalResult store(mlir::Value value, const ExactInterval &interval,
                      mlir::Operation *op);

  llvm::DenseMap<mlir::Value, ExactInterval> intervals;
  Obstacle found;
  unsigned callDepth = 0;
};

} // namespace lh

#endif // LH_COMPILER_SESSION_RANGEPROPAGATION_H
