// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which linalg ops are computed a strip of a row at a time, and which of them
// in one loop.
#ifndef LH_COMPILER_GAPS_ROWS_ROWVECTORS_H
#define LH_COMPILER_GAPS_ROWS_ROWVECTORS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lh {

/// Whether the op is of one loop, or none, on rows and single numbers, and can
/// be computed on vectors of which some elements are anything.
bool isRowOp(mlir::linalg::GenericOp op);

/// Whether an element takes so long that two chains of them hide each other's
/// latency: the op computes powers.
bool takesLong(mlir::linalg::GenericOp op);

/// Has loops over rows compute the last op of each in the iteration of the next
/// row, in front of the powers that overwrite what it reads: loops in the
/// function, or in one over at least `fewestBlocks` blocks of rows there. Only
/// where a row has `shortest` elements at least, and the op needs nothing else
/// of it but numbers.
void overlapRows(mlir::Operation *function, int64_t fewestBlocks,
                 int64_t shortest);

/// The op that combines a row op's elements with its result; null when it
/// reduces nothing, or by more than one op.
mlir::Operation *combinerOf(mlir::linalg::GenericOp op);

/// What one loop over a row computes.
struct Phase {
  /// Elementwise ops in program order.
  llvm::SmallVector<mlir::linalg::GenericOp> elementwise;
  /// What it reduces to; null when there is nothing.
  mlir::linalg::GenericOp reduction;

  mlir::linalg::GenericOp first() const {
    return elementwise.empty() ? reduction : elementwise.front();
  }
  mlir::linalg::GenericOp last() const {
    return reduction ? reduction : elementwise.back();
  }
};

/// A reduction with the elementwise ops it reads, which take their own operands
/// from before, and those that read a row before it is overwritten. Another op
/// by itself.
Phase phaseOf(mlir::linalg::GenericOp op);

/// The number in a tensor without dimensions; a number as it is.
mlir::Value numberIn(mlir::Value tensor, mlir::OpBuilder &builder);

/// Part of a row: `lanes` elements from `begin` on, or those under a mask.
struct Strip {
  mlir::OpBuilder &builder;
  int64_t lanes;
  /// Whether there are as many elements for each unit of the vectors' scale.
  bool isScalable = false;
  mlir::Value begin = {};
  /// Null when all elements are in the row.
  mlir::Value mask = {};

  mlir::VectorType of(mlir::Type element) const {
    return mlir::VectorType::get({lanes}, element, {isScalable});
  }
  mlir::Value read(mlir::Value row) const;
  /// The row with the numbers in it.
  mlir::Value write(mlir::Value numbers, mlir::Value row) const;
  /// A number, as often as there are lanes; a vector as it is.
  mlir::Value spread(mlir::Value number) const;
  /// What the op's body computes of `operands`, one for each of the op's
  /// inputs: numbers that all elements share, or vectors. Of a reduction, what
  /// it combines with its result.
  mlir::Value compute(mlir::linalg::GenericOp op,
                      mlir::ArrayRef<mlir::Value> operands) const;
};

} // namespace lh

#endif // LH_COMPILER_GAPS_ROWS_ROWVECTORS_H
