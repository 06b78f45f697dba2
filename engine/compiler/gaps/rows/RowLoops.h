// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts a cluster of ops into one loop over its rows.
#ifndef LH_COMPILER_GAPS_ROWS_ROWLOOPS_H
#define LH_COMPILER_GAPS_ROWS_ROWLOOPS_H

#include "compiler/gaps/rows/RowClusters.h"

#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"

namespace lh {

/// What became of a cluster: its loops, outermost first, and it in them.
struct RowLoop {
  llvm::SmallVector<mlir::LoopLikeOpInterface> loops;
  RowCluster inside;
};

/// Tiles a cluster's root by `sizes`, one for each of its loops, 0 for none,
/// and computes its members in the loop, each once; whoever else reads them
/// reads the loop's results. A member that isn't cut by these loops stays
/// outside. Emits an error when the root can't be tiled.
mlir::FailureOr<RowLoop>
fuseIntoLoop(const RowCluster &cluster, llvm::ArrayRef<int64_t> sizes,
             mlir::scf::SCFTilingOptions::LoopType kind,
             mlir::IRRewriter &rewriter);

} // namespace lh

#endif // LH_COMPILER_GAPS_ROWS_ROWLOOPS_H
