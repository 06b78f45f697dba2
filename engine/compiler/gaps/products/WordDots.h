// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products of words on vectors, as lh-lower-words finds them.
#ifndef LH_COMPILER_GAPS_PRODUCTS_WORDDOTS_H
#define LH_COMPILER_GAPS_PRODUCTS_WORDDOTS_H

#include "compiler/gaps/products/Words.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lh {

/// `sum` plus the dot products of the words at the same place.
struct WordDot {
  mlir::Value sum, left, right;
  WordFormat format;
};

/// What an addition on vectors computes, by the form of addDotOfWords(); none
/// when it is anything else.
std::optional<WordDot> readWordDot(mlir::Operation *op);

/// Whether an instruction adds the dot products of such words to sums.
bool hasInstruction(const WordFormat &format);

/// Whether it takes left and right the other way round.
inline bool turnsSides(const WordFormat &format) {
  return format.isLeftSigned && !format.isRightSigned;
}

/// That instruction, on vectors of one dimension, a register each.
mlir::Value addDots(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value sums, mlir::Value left, mlir::Value right,
                    const WordFormat &format);

/// A vector as a smaller one, or a number, that is spread over more dimensions
/// and turned; as itself where it is neither.
struct Spread {
  mlir::Value source;
  llvm::SmallVector<int64_t> dims; ///< the source's, by the vector's; below 0:
                                   ///< new

  llvm::ArrayRef<int64_t> shape() const;
  /// Whether the vector's dimension `dim` repeats the same numbers.
  bool repeats(size_t dim) const;
};
Spread readSpread(mlir::Value value);

/// Where the row of this number is in a vector of rows.
llvm::SmallVector<int64_t> placeOf(int64_t row, mlir::VectorType in);

/// `value[position..., :]`. Looks through broadcasts, so that one of a scalar
/// stays one: extracting from a vector of all its copies would make them.
mlir::Value rowOf(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value value, llvm::ArrayRef<int64_t> position);

} // namespace lh

#endif // LH_COMPILER_GAPS_PRODUCTS_WORDDOTS_H
