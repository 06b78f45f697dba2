// Dot products of words as SVE's products of small matrices.
#ifndef LH_IR_GAPS_MATRIXWORDS_H
#define LH_IR_GAPS_MATRIXWORDS_H

#include "ir/gaps/WordDots.h"

namespace lh {

/// Replaces `op`, which computes `dot`, by instructions that multiply matrices
/// of 2 words by 2 words in each 128 bits of a vector (smmla, ummla, usmmla,
/// bfmmla), when the words are of 64 bits on scalable vectors: those of `left`
/// or `right` one per row, those of the other one per column. Returns false,
/// having changed nothing, when they aren't. A loop that carries the sum
/// carries it as the instructions have it.
bool lowerToMatrixProducts(mlir::Operation *op, WordDot dot);

} // namespace lh

#endif // LH_IR_GAPS_MATRIXWORDS_H
