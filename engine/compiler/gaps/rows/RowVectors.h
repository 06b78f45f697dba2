// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strips of a row: what a linalg op computes, on vectors.
#ifndef LH_COMPILER_GAPS_ROWS_ROWVECTORS_H
#define LH_COMPILER_GAPS_ROWS_ROWVECTORS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lh {

/// Whether the op is of one loop, or none, on rows and single numbers, and can
/// be computed on vectors of which some elements are anything.
bool isRowOp(mlir::linalg::GenericOp op);

/// Whether an element takes so long that two chains of them hide each other's
/// latency: the op computes powers.
bool takesLong(mlir::linalg::GenericOp op);

/// Has a loop over rows compute the last op of each in the iteration of the
/// next row, in front of the powers that overwrite what it reads. Only where a
/// row has so many elements at least, and the op needs nothing else of it but
/// numbers.
void overlapRows(mlir::scf::ForOp rows, int64_t shortest,
                 mlir::IRRewriter &rewriter);

/// The op that combines a row op's elements with its result; null when it
/// reduces nothing, or by more than one op.
mlir::Operation *combinerOf(mlir::linalg::GenericOp op);

/// Whether the lanes of scalable vectors can be combined as the op combines
/// elements: nothing multiplies them.
bool combinesScalableVectors(mlir::linalg::GenericOp op);

/// The number in a tensor without dimensions; a number as it is.
mlir::Value numberIn(mlir::Value tensor, mlir::OpBuilder &builder);

/// Part of a row: `lanes` elements from `begin` on, or those under a mask.
struct Strip {
  mlir::Value begin;
  int64_t lanes;
  /// Null when all elements are in the row.
  mlir::Value mask;
  /// Whether there are as many elements for each unit of the vectors' scale.
  bool isScalable = false;

  mlir::VectorType of(mlir::Type element) const {
    return mlir::VectorType::get({lanes}, element, {isScalable});
  }
  mlir::Value read(mlir::Value row, mlir::OpBuilder &builder) const;
  /// The row with the numbers in it.
  mlir::Value write(mlir::Value numbers, mlir::Value row,
                    mlir::OpBuilder &builder) const;
  /// A number, as often as there are lanes; a vector as it is.
  mlir::Value spread(mlir::Value number, mlir::OpBuilder &builder) const;
};

/// What the op's body computes of `operands`, one for each of the op's inputs:
/// numbers that all elements share, or vectors. Of a reduction, what it
/// combines with its result.
mlir::Value computeStrip(mlir::linalg::GenericOp op,
                         mlir::ArrayRef<mlir::Value> operands,
                         const Strip &strip, mlir::OpBuilder &builder);

/// Combines the strips of a row into one number, a register's lanes at a time.
class Combination {
public:
  /// Of the elements that `op` reduces, in registers of `lanes`, or of as many
  /// for each unit of the vectors' scale.
  Combination(mlir::linalg::GenericOp op, int64_t lanes, bool isScalable);

  /// What a loop over strips starts from, and carries along.
  llvm::SmallVector<mlir::Value> start(const Strip &strip,
                                       mlir::OpBuilder &builder) const;
  llvm::SmallVector<mlir::Value> add(mlir::ValueRange carried,
                                     mlir::Value numbers, const Strip &strip,
                                     mlir::OpBuilder &builder) const;
  /// The number of all that was carried, and of what the op starts from.
  mlir::Value finish(mlir::ArrayRef<mlir::ValueRange> carried,
                     mlir::OpBuilder &builder) const;

private:
  /// A maximum or minimum, which is NaN when a number is. It takes three
  /// instructions, each of which waits for the one before; so they are taken
  /// of what is a number, and NaNs are looked for beside.
  bool watchesForNaN() const;
  mlir::Value combine(mlir::Value a, mlir::Value b,
                      mlir::OpBuilder &builder) const;
  mlir::Value neutral(mlir::Type type, mlir::OpBuilder &builder) const;
  mlir::Value areNaN(mlir::Value numbers, mlir::OpBuilder &builder) const;
  llvm::SmallVector<mlir::Value> registersOf(mlir::Value numbers,
                                             mlir::OpBuilder &builder) const;
  mlir::Value tree(llvm::SmallVector<mlir::Value> parts,
                   mlir::OpBuilder &builder) const;

  mlir::Location loc;
  mlir::Operation *combiner;
  mlir::Type element;
  /// What the numbers are added to.
  mlir::Value first;
  int64_t lanes;
  bool isScalable;
};

} // namespace lh

#endif // LH_COMPILER_GAPS_ROWS_ROWVECTORS_H
