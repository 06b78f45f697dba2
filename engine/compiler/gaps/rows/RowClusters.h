// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which linalg ops can share one loop over rows.
#ifndef LH_COMPILER_GAPS_ROWS_ROWCLUSTERS_H
#define LH_COMPILER_GAPS_ROWS_ROWCLUSTERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lh {

/// Ops of one block that compute the same rows: whatever one iteration of the
/// root's tiled loops needs of a member is computed in no other iteration.
struct RowCluster {
  mlir::linalg::LinalgOp root;
  /// Per loop of the root: whether a row has one index there.
  llvm::SmallVector<bool> tiled;
  /// Producers of the root and of each other, in program order.
  llvm::SmallVector<mlir::linalg::LinalgOp> members;

  bool isTiled(size_t loop) const { return tiled[loop]; }
};

/// The clusters of a block, last one first. Contractions and windows are in
/// none, nor are elementwise ops whose operands have all one shape: no loop
/// over rows would help them. With `sumsOnly`, those alone that reduce
/// something.
llvm::SmallVector<RowCluster> findRowClusters(mlir::Block &block,
                                              bool sumsOnly = false);

/// The cluster of `root` when its loops `tiled` are those over rows. Of the
/// contractions, `contractions` alone may be members.
RowCluster findRowCluster(mlir::linalg::LinalgOp root,
                          llvm::ArrayRef<bool> tiled,
                          llvm::ArrayRef<mlir::linalg::LinalgOp> contractions);

/// Whether an op computes anything; converting a number is no work.
bool computes(mlir::Operation *op);

/// Whether it reads at places that it computes: those of other operands, say.
bool gathers(mlir::linalg::LinalgOp op);

/// Whether neighbours in an operand's rows are no neighbours in the loops: a
/// map that permutes all loops, and the last one is not the last.
bool turnsRows(mlir::AffineMap map);

/// Whether an op only gives a tensor's elements other places, so that those
/// that were neighbours aren't any more. Whoever computes them inside of it
/// computes them one by one, so it is the only op of its cluster.
bool scatters(mlir::Operation *op);

/// Elementwise ops on projections of one shape.
bool isElementwiseRowOp(mlir::Operation *op);

} // namespace lh

#endif // LH_COMPILER_GAPS_ROWS_ROWCLUSTERS_H
