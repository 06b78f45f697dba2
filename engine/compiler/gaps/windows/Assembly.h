// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors that are put together from pieces: images and their borders, parts of
// a concatenation. Each piece is written once, in its place.
#ifndef LH_COMPILER_GAPS_WINDOWS_ASSEMBLY_H
#define LH_COMPILER_GAPS_WINDOWS_ASSEMBLY_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace lh {

/// Has windows over `pad` that a loop counts read the image itself, but for
/// those that reach out of it left or right, if these are at most `most`
/// pixels. Rows above and below it are in one buffer with the image, which is
/// computed there. False, having changed nothing, where windows need the pad.
bool clipWindows(mlir::tensor::PadOp pad, int64_t most);

/// The operand in `block` by which the memory of `value` is asked for: an empty
/// tensor that loops, and ops that write into what they are given, hand on
/// until it is `value`. Null where there is none.
mlir::OpOperand *destinationOf(mlir::Value value, mlir::Block *block);

/// Has it computed in `place`, of the same shape, which must be there before
/// the destination's op.
void computeInto(mlir::OpOperand &destination, mlir::Value place);

} // namespace lh

#endif // LH_COMPILER_GAPS_WINDOWS_ASSEMBLY_H
