// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Winograd's products in place of convolutions.
#ifndef LH_COMPILER_GAPS_WINDOWS_WINOGRAD_H
#define LH_COMPILER_GAPS_WINDOWS_WINOGRAD_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lh {

/// Pixels of the result in a tile along each side, and those of the image that
/// they need.
inline constexpr int64_t winogradStep = 4, winogradSpan = 6;

/// Makes F(4 x 4, 3 x 3) of a convolution of f32 by 3 x 3 windows of stride 1,
/// in blocks of at most `tiles` tiles, unless a row of the image has more.
/// False, having changed nothing, where it is anything else.
bool multiplyTiles(mlir::linalg::GenericOp op, int64_t tiles);

} // namespace lh

#endif // LH_COMPILER_GAPS_WINDOWS_WINOGRAD_H
