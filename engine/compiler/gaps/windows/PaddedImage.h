// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images with a border.
#ifndef LH_COMPILER_GAPS_WINDOWS_PADDEDIMAGE_H
#define LH_COMPILER_GAPS_WINDOWS_PADDEDIMAGE_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <optional>

namespace lh {

/// One number around the pixels of an image [rows][columns][channels], or of a
/// batch of them [images][rows][columns][channels], of known sizes, none 0.
struct PaddedImage {
  mlir::tensor::PadOp pad;
  mlir::Value value;      ///< the number around it
  mlir::TypedAttr number; ///< the same where it is a constant; else null
  int64_t top, left, bottom, right;
  int64_t height, width; ///< of the image
};

/// `padded` as images of this rank with a border; nothing for anything else.
std::optional<PaddedImage> paddedImage(mlir::Value padded, int64_t rank);

} // namespace lh

#endif // LH_COMPILER_GAPS_WINDOWS_PADDEDIMAGE_H
