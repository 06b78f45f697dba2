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

} // namespace lh

#endif // LH_COMPILER_GAPS_WINDOWS_ASSEMBLY_H
