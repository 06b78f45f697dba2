// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over rows, for reductions and what is computed from them.
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/rows/CollapseLoops.h"
#include "compiler/gaps/rows/RowClusters.h"
#include "compiler/gaps/rows/RowLoops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_FUSEROWSPASS
#define GEN_PASS_DEF_FUSEROWSPASS
#include "compiler/gaps/rows/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;
using linalg::LinalgOp;

/// At most `most` of `size`, and half as many at least, so that all blocks are
/// as large where some number divides it: the last one's size would be known
/// only when the loop runs, and every loop in the block's.
static int64_t evenBlock(int64_t size, int64_t most) {
  if (ShapedType::isDynamic(size) || size <= most)
    return most;
  for (int64_t block = most; 2 * block >= most; --block)
    if (size % block == 0)
      return block;
  return most;
}

/// One index of each row loop, `rows` of the innermost; of the innermost
/// dimension, when rows run along another, a strip of `columns` or less.
static SmallVector<int64_t> tileSizesOf(const RowCluster &cluster, int64_t rows,
                                        int64_t columns) {
  LinalgOp root = cluster.root;
  SmallVector<int64_t> sizes(cluster.tiled.size(), 0);
  int64_t *innermost = nullptr;
  for (size_t loop = 0; loop + 1 < sizes.size(); ++loop)
    if (cluster.isTiled(loop)) {
      sizes[loop] = 1;
      innermost = &sizes[loop];
    }
  if (cluster.tiled.back())
    sizes.back() = evenBlock(root.getStaticLoopRanges().back(), columns);
  else if (innermost)
    *innermost = rows;
  return sizes;
}

static bool isFloat32(Value value) {
  return getElementTypeOrSelf(value.getType()).isF32();
}

/// Whether a result's rows are an operand's columns, of 32-bit floats, and fill
/// half a block of so many rows and columns at least.
static bool turnsBlocks(LinalgOp op, int64_t block) {
  if (op.getNumLoops() != 2 || op->getNumResults() != 1 ||
      llvm::any_of(op.getStaticLoopRanges(),
                   [&](int64_t size) {
                     return ShapedType::isDynamic(size) || 2 * size < block;
                   }) ||
      !llvm::all_of(op->getOperands(), isFloat32))
    return false;
  MLIRContext *context = op.getContext();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return maps.back().isIdentity() &&
         llvm::is_contained(
             maps, AffineMap::getMultiDimMapWithTargets(2, {1, 0}, context));
}

/// Whether each of a result's outermost slices is a matrix of an operand's,
/// turned, that fits registers: no more numbers than such a block has.
static bool turnsSlices(LinalgOp op, int64_t block) {
  if (op.getNumLoops() != 3 || op->getNumOperands() != 2 ||
      !llvm::all_of(op->getOperands(), isFloat32))
    return false;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (llvm::any_of(ArrayRef(sizes).drop_front(), ShapedType::isDynamic) ||
      sizes[1] * sizes[2] > block * block)
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return maps.back().isIdentity() &&
         maps.front() == AffineMap::getMultiDimMapWithTargets(3, {0, 2, 1},
                                                              op.getContext());
}

/// Whether an elementwise op reads neighbours in a row of its result from rows
/// of their own. In a loop over rows each would be read from another line.
static bool readsAcrossRows(Operation *op) {
  auto linalgOp = dyn_cast<LinalgOp>(op);
  return linalgOp && linalgOp.getNumParallelLoops() == linalgOp.getNumLoops() &&
         llvm::any_of(linalgOp.getIndexingMapsArray(), turnsRows);
}

namespace {
struct FuseRowsPass : lh::impl::FuseRowsPassBase<FuseRowsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      // What is in a loop with a mapping is a GPU's, and tiled for it.
      auto loop = dyn_cast<scf::ForallOp>(op);
      if (isa<LinalgOp>(op) || (loop && loop.getMapping()))
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
      return WalkResult::advance();
    });
    IRRewriter rewriter(&getContext());
    for (Block *block : llvm::reverse(blocks))
      if (failed(runOnBlock(*block, rewriter)))
        return signalPassFailure();
  }

  /// A loop over blocks of rows, which threads can share, of loops over rows:
  /// what a row keeps for itself is allocated once per block.
  LogicalResult fuseByBlocks(const RowCluster &cluster, IRRewriter &rewriter) {
    using LoopType = scf::SCFTilingOptions::LoopType;
    FailureOr<RowLoop> block =
        fuseIntoLoop(cluster, tileSizesOf(cluster, rows, columns),
                     LoopType::ForallOp, rewriter);
    if (failed(block))
      return failure();
    if (cluster.tiled.back())
      return success();
    return fuseIntoLoop(block->inside, tileSizesOf(block->inside, 1, columns),
                        LoopType::ForOp, rewriter);
  }

  /// What is marked so joins no rows.
  void markTurns(Block &block, IRRewriter &rewriter) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (!isElementwiseRowOp(&op) || !readsAcrossRows(&op))
        continue;
      LinalgOp collapsed = collapseLoops(cast<LinalgOp>(&op), rewriter);
      if (turnsBlocks(collapsed, turn))
        collapsed->setAttr(turnMark, rewriter.getUnitAttr());
      else if (turnsSlices(collapsed, turn))
        collapsed->setAttr(turnMark, rewriter.getI64IntegerAttr(3));
    }
  }

  /// Collapses the loops of rows and of what shares no reduction's rows, and
  /// fuses what has rows.
  LogicalResult runOnBlock(Block &block, IRRewriter &rewriter) {
    if (!sumsOnly)
      markTurns(block, rewriter);
    SmallVector<RowCluster> clusters = findRowClusters(block, sumsOnly);
    llvm::erase_if(clusters, [](const RowCluster &cluster) {
      return cluster.members.empty();
    });
    llvm::DenseSet<Operation *> fused;
    for (RowCluster &cluster : clusters) {
      fused.insert(cluster.root);
      fused.insert_range(cluster.members);
    }
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (!isElementwiseRowOp(&op) || fused.contains(&op))
        continue;
      collapseLoops(cast<LinalgOp>(&op), rewriter);
    }
    for (const RowCluster &cluster : clusters)
      collapseRows(cluster, rewriter);
    for (const RowCluster &cluster : findRowClusters(block, sumsOnly))
      if (failed(fuseByBlocks(cluster, rewriter)))
        return failure();
    return success();
  }
};
} // namespace
