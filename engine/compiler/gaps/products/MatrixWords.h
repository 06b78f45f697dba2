// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products of words as SVE's products of small matrices.
#ifndef LH_COMPILER_GAPS_PRODUCTS_MATRIXWORDS_H
#define LH_COMPILER_GAPS_PRODUCTS_MATRIXWORDS_H

#include "compiler/gaps/products/WordDots.h"

namespace lh {

/// Replaces the results of those additions, given in the order of the program,
/// that add dot products of words of 64 bits on scalable vectors, the words of
/// one side one per row, those of the other one per column, by instructions
/// that multiply matrices of 2 words by 2 words in each 128 bits of a vector
/// (smmla, ummla, usmmla, bfmmla). Sums stay in the order in which these have
/// them from one dot product to the next, and in a loop that does nothing else
/// with them. Whether there are any.
bool lowerToMatrixProducts(llvm::ArrayRef<mlir::Operation *> additions);

} // namespace lh

#endif // LH_COMPILER_GAPS_PRODUCTS_MATRIXWORDS_H
