// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products of words as SVE's products of small matrices.
#ifndef LH_COMPILER_GAPS_PRODUCTS_MATRIXWORDS_H
#define LH_COMPILER_GAPS_PRODUCTS_MATRIXWORDS_H

#include "compiler/gaps/products/WordDots.h"

namespace lh {

/// Replaces `op`, which computes `dot`, by instructions that multiply matrices
/// of 2 words by 2 words in each 128 bits of a vector (smmla, ummla, usmmla,
/// bfmmla), when the words are of 64 bits on scalable vectors: those of `left`
/// or `right` one per row, those of the other one per column. Returns false,
/// having changed nothing, when they aren't. Dot products that are added to
/// these sums alone are lowered as well, which leaves their additions without
/// users; a loop that carries the sums carries them as the instructions have
/// them.
bool lowerToMatrixProducts(mlir::Operation *op, WordDot dot);

} // namespace lh

#endif // LH_COMPILER_GAPS_PRODUCTS_MATRIXWORDS_H
