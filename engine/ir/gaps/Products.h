// What the gap passes take as a product of matrices.
#ifndef LH_IR_GAPS_PRODUCTS_H
#define LH_IR_GAPS_PRODUCTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lh {

/// The unit attribute on products that schedules take: lh-mark-products sets
/// it, and lh-pack-words on what it makes.
inline constexpr llvm::StringLiteral productMark = "lh.product";

/// The unit attribute on products of a few rows with a matrix that isn't worth
/// packing: lh-mark-products sets it.
inline constexpr llvm::StringLiteral thinMark = "lh.thin";

/// A contraction, or a product of words (lh-pack-words).
inline bool isProduct(mlir::Operation *op) {
  auto linalgOp = llvm::dyn_cast_or_null<mlir::linalg::LinalgOp>(op);
  return linalgOp && (linalgOp->hasAttr(productMark) ||
                      mlir::linalg::isaContractionOpInterface(linalgOp));
}

/// Whether the body is `result + left * right`, in floats or integers.
bool addsProducts(mlir::linalg::LinalgOp op);

/// Whether the loops' lengths are known, and none is empty.
bool hasKnownLoops(mlir::linalg::LinalgOp op);

/// Whether the op reads windows, which overlap.
bool readsWindows(mlir::Operation *op);

/// Fewer columns would leave a panel mostly padding.
inline constexpr int64_t fewestColumns = 8;

/// Products that pack-contractions takes: ([batch,] m, n, k) on tensors, k
/// known, n known and at least `fewestColumns`.
bool hasPanels(mlir::linalg::LinalgOp op);

/// Convolutions of images [batch][height][width][channels] of known sizes by
/// at least 8 filters, as lh-channels-last leaves them: loops over the result
/// first.
bool hasImageWindows(mlir::linalg::LinalgOp op);

} // namespace lh

#endif // LH_IR_GAPS_PRODUCTS_H
