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

/// A vector that is a smaller one spread over more dimensions, and turned.
struct Spread {
  mlir::Value source;
  llvm::SmallVector<int64_t> dims; ///< the source's, by the vector's; below 0:
                                   ///< new

  mlir::VectorType type() const {
    return mlir::cast<mlir::VectorType>(source.getType());
  }
  /// Whether the vector's dimension `dim` repeats the same numbers.
  bool repeats(size_t dim) const;
  /// The source's element or vector at this place of the vector's leading
  /// dimensions.
  llvm::SmallVector<int64_t> place(llvm::ArrayRef<int64_t> position) const;
};

/// None when the vector is no broadcast of another.
std::optional<Spread> readSpread(mlir::Value value);

} // namespace lh

#endif // LH_COMPILER_GAPS_PRODUCTS_WORDDOTS_H
