// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention as one loop over heads and blocks of rows. Upstream's tile-and-fuse
// needs to be told which ops belong together, and what of them is cut.
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/rows/Attention.h"
#include "compiler/gaps/rows/RowLoops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

#include "llvm/Support/MathExtras.h"

namespace lh {
#define GEN_PASS_DECL_FUSEATTENTIONPASS
#define GEN_PASS_DEF_FUSEATTENTIONPASS
#include "compiler/gaps/rows/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;
using linalg::LinalgOp;

namespace {
/// The op that a loop is made of, and what its loops are.
struct Root {
  LinalgOp op;
  SmallVector<unsigned> batch;
  unsigned row;
};
} // namespace

/// What is cut: the values, or the op that alone reads them and puts their
/// elements elsewhere.
static LinalgOp rootOf(LinalgOp values) {
  if (!values->hasOneUse())
    return values;
  OpOperand &use = *values->use_begin();
  auto user = dyn_cast<LinalgOp>(use.getOwner());
  bool fits =
      user && isElementwiseRowOp(user) && user.isDpsInput(&use) &&
      user.getMatchingIndexingMap(&use).isPermutation() &&
      user.getMatchingIndexingMap(user.getDpsInitOperand(0)).isPermutation();
  return fits ? user : values;
}

static FailureOr<Root> describeRoot(LinalgOp values) {
  auto dims = linalg::inferContractionDims(values);
  if (failed(dims) || dims->m.size() != 1)
    return failure();
  Root root{rootOf(values),
            {dims->batch.begin(), dims->batch.end()},
            dims->m.front()};
  if (root.op == values)
    return root;
  AffineMap written =
      values.getMatchingIndexingMap(values.getDpsInitOperand(0));
  AffineMap read = root.op.getMatchingIndexingMap(&*values->use_begin());
  auto loopOfRoot = [&](unsigned loop) {
    auto dim = getAffineDimExpr(loop, written.getContext());
    return read.getDimPosition(*written.getResultPosition(dim));
  };
  for (unsigned &loop : root.batch)
    loop = loopOfRoot(loop);
  root.row = loopOfRoot(root.row);
  return root;
}

/// Sizes for each of the root's loops: a head, and `rows`, 0 for all.
static SmallVector<int64_t> sizesOf(const Root &root, int64_t rows) {
  LinalgOp op = root.op;
  SmallVector<int64_t> sizes(op.getNumLoops(), 0);
  for (unsigned loop : root.batch)
    sizes[loop] = 1;
  sizes[root.row] = rows;
  return sizes;
}

namespace {
struct FuseAttentionPass : lh::impl::FuseAttentionPassBase<FuseAttentionPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<SmallVector<Attention>> found = exposeAttention(getOperation());
    if (failed(found))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (const Attention &attention : *found)
      if (failed(fuse(attention, rewriter)))
        return signalPassFailure();
  }

  /// Rows in a tile, evenly: few enough that scores stay in the cache while the
  /// head's keys and values pass through it.
  int64_t rowsOfTile(LinalgOp values, int64_t size) {
    auto dims = *linalg::inferContractionDims(values);
    int64_t keys = values.getStaticLoopRanges()[dims.k.front()];
    int64_t bytes =
        getElementTypeOrSelf(values->getResult(0)).getIntOrFloatBitWidth() / 8;
    int64_t most = 2 * rows;
    if (!ShapedType::isDynamic(keys))
      most = std::max(most, cache / 16 / std::max<int64_t>(bytes * keys, 1));
    if (ShapedType::isDynamic(size))
      return int64_t(llvm::alignTo(most, rows));
    if (size <= most)
      return size;
    int64_t even = llvm::divideCeil(size, llvm::divideCeil(size, most));
    return int64_t(llvm::alignTo(even, rows));
  }

  /// Rows that threads share: all, unless there are too few heads for them. A
  /// multiple of a tile that leaves no rest.
  int64_t rowsOfBlock(const Root &root, int64_t tile) {
    LinalgOp op = root.op;
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    int64_t all = sizes[root.row], heads = 1;
    for (unsigned loop : root.batch)
      heads *= ShapedType::isDynamic(sizes[loop]) ? 1 : sizes[loop];
    if (ShapedType::isDynamic(all) || threads == 1)
      return all;
    int64_t block = all;
    for (int64_t some = tile; some < all; some += tile)
      if (all % some == 0 && heads * (all / some) >= 2 * threads)
        block = some;
    return block;
  }

  /// A loop over heads, and in it one over tiles of rows.
  LogicalResult fuse(const Attention &attention, IRRewriter &rewriter) {
    FailureOr<Root> root = describeRoot(attention.values);
    if (failed(root))
      return success();
    int64_t size = root->op.getStaticLoopRanges()[root->row];
    int64_t tile = rowsOfTile(attention.values, size);
    int64_t block = rowsOfBlock(*root, tile);
    SmallVector<int64_t> sizes = sizesOf(*root, block == size ? 0 : block);
    SmallVector<bool> tiled =
        llvm::map_to_vector(sizes, [](int64_t some) { return some != 0; });
    RowCluster cluster =
        findRowCluster(root->op, tiled, {attention.scores, attention.values});
    if (!llvm::is_contained(cluster.members, attention.scores))
      return success();
    if (llvm::is_contained(tiled, true)) {
      FailureOr<RowLoop> heads = fuseIntoLoop(
          cluster, sizes, scf::SCFTilingOptions::LoopType::ForallOp, rewriter);
      if (failed(heads))
        return failure();
      heads->loops.front()->setAttr(attentionMark, rewriter.getUnitAttr());
      cluster = heads->inside;
    }
    if (tile >= block && !ShapedType::isDynamic(block))
      return success();
    SmallVector<int64_t> rowsAlone(sizes.size(), 0);
    rowsAlone[root->row] = tile;
    FailureOr<RowLoop> tiles = fuseIntoLoop(
        cluster, rowsAlone, scf::SCFTilingOptions::LoopType::ForOp, rewriter);
    if (failed(tiles))
      return failure();
    // The rows that are left over come after the loop, with a size of their
    // own.
    auto steps = cast<scf::ForOp>(tiles->loops.front().getOperation());
    scf::ForOp rest;
    rewriter.setInsertionPoint(steps);
    (void)scf::peelForLoopAndSimplifyBounds(rewriter, steps, rest);
    return success();
  }
};
} // namespace
