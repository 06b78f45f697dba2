// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The form in which products are chosen and laid out: C = 0 + A * B, on
// operands of the numbers that are multiplied, with casts and scales outside.
#ifndef LH_COMPILER_GAPS_PRODUCTS_NORMALFORM_H
#define LH_COMPILER_GAPS_PRODUCTS_NORMALFORM_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lh {

/// Marks each product and convolution in `root` with the types it multiplies
/// and sums up, and whether it has at most `thin` rows or columns. Sums in f16
/// or bf16 become sums in f32.
void typeProducts(mlir::Operation *root, int64_t thin);

} // namespace lh

#endif // LH_COMPILER_GAPS_PRODUCTS_NORMALFORM_H
