// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells of products that loops compute.
#ifndef LH_COMPILER_GAPS_GPU_UNTAKENPRODUCTS_H
#define LH_COMPILER_GAPS_GPU_UNTAKENPRODUCTS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace lh {

/// A remark for each product in `root` that was looked at
/// (lh-normalize-products) and has no `lh.choice`: what it multiplies, its part
/// of all multiplications in contractions and convolutions there, and why no
/// kernel takes it.
void remarkOnUntaken(mlir::Operation *root);

} // namespace lh

#endif // LH_COMPILER_GAPS_GPU_UNTAKENPRODUCTS_H
