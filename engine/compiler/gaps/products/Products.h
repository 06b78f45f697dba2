// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the gap passes take as a product of matrices.
#ifndef LH_COMPILER_GAPS_PRODUCTS_PRODUCTS_H
#define LH_COMPILER_GAPS_PRODUCTS_PRODUCTS_H

#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lh {

/// A contraction, or a product of words (lh-pack-words).
inline bool isProduct(mlir::Operation *op) {
  auto linalgOp = llvm::dyn_cast_or_null<mlir::linalg::LinalgOp>(op);
  return linalgOp && (linalgOp->hasAttr(productMark) ||
                      mlir::linalg::isaContractionOpInterface(linalgOp));
}

/// Whether the body is `result + left * right`, in floats or integers.
bool addsProducts(mlir::linalg::LinalgOp op);

/// Whether the tensor is filled with zeros.
bool isZeros(mlir::Value tensor);

/// Whether the loops' lengths are known, and none is empty.
bool hasKnownLoops(mlir::linalg::LinalgOp op);

/// Whether the op reads windows, which overlap.
bool readsWindows(mlir::Operation *op);

/// A product of matrices, or of batches of them, ([batch,] m, n, k) on tensors,
/// k and n known.
bool hasMatrixForm(mlir::linalg::LinalgOp op);

/// Convolutions of images [batch][height][width][channels] of known sizes, as
/// lh-channels-last leaves them: loops over the result first.
bool hasImageWindows(mlir::linalg::LinalgOp op);

/// The terms of each sum; none where their number isn't known.
std::optional<int64_t> lengthOfSum(mlir::linalg::LinalgOp op);

/// What a product's body adds a term to, and its factors, to the next sum.
using SumOfTerm = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::Value sum, mlir::Value left,
    mlir::Value right)>;

/// A product with the loops of `product`, of other factors and sums.
mlir::linalg::GenericOp productLike(mlir::OpBuilder &builder,
                                    mlir::linalg::LinalgOp product,
                                    mlir::ValueRange factors, mlir::Value start,
                                    SumOfTerm add);

/// `product`, of two narrow floats, with its sums in f32, rounded once, at the
/// end: what matrix units do. The body extends its factors. The rounded sums
/// take the place of `product`, which is erased.
mlir::linalg::GenericOp widenSums(mlir::linalg::LinalgOp product);

/// Marks each product and convolution in `root` with the types it multiplies
/// and sums up, and whether it has at most `thin` rows or columns. Sums in f16
/// or bf16 become sums in f32.
void typeProducts(mlir::Operation *root, int64_t thin);

} // namespace lh

#endif // LH_COMPILER_GAPS_PRODUCTS_PRODUCTS_H
