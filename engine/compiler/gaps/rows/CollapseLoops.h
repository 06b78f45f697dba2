// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One loop in place of loops that walk over memory together.
#ifndef LH_COMPILER_GAPS_ROWS_COLLAPSELOOPS_H
#define LH_COMPILER_GAPS_ROWS_COLLAPSELOOPS_H

#include "compiler/gaps/rows/RowClusters.h"

#include "mlir/IR/PatternMatch.h"

namespace lh {

/// Makes one loop of each group of an op's loops that walk over memory
/// together. Gives the op that it has become.
mlir::linalg::LinalgOp collapseLoops(mlir::linalg::LinalgOp op,
                                     mlir::IRRewriter &rewriter);

/// Makes one loop of the innermost ones of a row that all ops of a cluster walk
/// over together, so that the rows of an image of 28 x 28 have 784 elements. The
/// cluster's ops are replaced: it has to be found again.
void collapseRows(const RowCluster &cluster, mlir::IRRewriter &rewriter);

} // namespace lh

#endif // LH_COMPILER_GAPS_ROWS_COLLAPSELOOPS_H
