// Images with a border.
#ifndef LH_IR_GAPS_PADDEDIMAGE_H
#define LH_IR_GAPS_PADDEDIMAGE_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace lh {

/// Whether `pad` puts one number around the pixels of an image
/// [rows][columns][channels] of known size, which is not empty.
bool isPaddedImage(mlir::tensor::PadOp pad);

} // namespace lh

#endif // LH_IR_GAPS_PADDEDIMAGE_H
