// Loops over rows: tiles the last op of a cluster and pulls the others in, each
// of them once. Upstream's structured.fuse takes every producer there is, and
// clones one for each of its uses.
#include "ir/gaps/Gaps.h"
#include "ir/gaps/RowClusters.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace lh;
using namespace mlir;
using linalg::LinalgOp;

namespace {
/// How a cluster is cut.
struct Cut {
  scf::SCFTilingOptions::LoopType loops;
  /// Rows per iteration, of the innermost loop over rows.
  int64_t rows;
  /// Columns per iteration, where rows run along another dimension.
  int64_t columns;
};
} // namespace

/// One index of each row loop, several of the innermost; of the innermost
/// dimension, when rows run along another, a strip.
static SmallVector<OpFoldResult> tileSizesOf(const RowCluster &cluster,
                                             const Cut &cut, OpBuilder &b) {
  SmallVector<int64_t> sizes(cluster.tiled.size(), 0);
  int64_t *innermost = nullptr;
  for (size_t loop = 0; loop + 1 < sizes.size(); ++loop)
    if (cluster.isTiled(loop)) {
      sizes[loop] = 1;
      innermost = &sizes[loop];
    }
  if (cluster.tiled.back())
    sizes.back() = cut.columns;
  else if (innermost)
    *innermost = cut.rows;
  return getAsIndexOpFoldResult(b.getContext(), sizes);
}

/// The value outside of the loop that a slice is cut from.
static Value untiledSource(tensor::ExtractSliceOp slice,
                           LoopLikeOpInterface loop) {
  auto argument = dyn_cast<BlockArgument>(slice.getSource());
  if (!argument || argument.getOwner()->getParentOp() != loop)
    return slice.getSource();
  OpOperand *init = loop.getTiedLoopInit(argument);
  return init ? init->get() : slice.getSource();
}

/// The slices of a member's result in the loop. All are one slice: rows are
/// whole in each user, and an index of a row means the same in each.
static SmallVector<tensor::ExtractSliceOp> slicesOf(LinalgOp member,
                                                    LoopLikeOpInterface loop) {
  SmallVector<tensor::ExtractSliceOp> slices;
  for (auto slice :
       loop.getLoopRegions().front()->getOps<tensor::ExtractSliceOp>())
    if (untiledSource(slice, loop) == member->getResult(0))
      slices.push_back(slice);
  return slices;
}

static bool areOneSlice(ArrayRef<tensor::ExtractSliceOp> slices) {
  tensor::ExtractSliceOp first = slices.front();
  return llvm::all_of(slices, [&](tensor::ExtractSliceOp slice) {
    return slice.getType().getRank() == first.getType().getRank() &&
           isEqualConstantIntOrValueArray(slice.getMixedOffsets(),
                                          first.getMixedOffsets());
  });
}

/// Whether the user stands behind the loop, in its block or further in.
static bool isBehind(Operation *user, LoopLikeOpInterface loop) {
  Operation *atLevel = loop->getBlock()->findAncestorOpInBlock(*user);
  return atLevel && loop->isBeforeInBlock(atLevel);
}

/// One slice for all of them.
static tensor::ExtractSliceOp merge(ArrayRef<tensor::ExtractSliceOp> slices,
                                    IRRewriter &rewriter) {
  tensor::ExtractSliceOp first = slices.front();
  for (tensor::ExtractSliceOp other : llvm::drop_begin(slices)) {
    rewriter.setInsertionPoint(other);
    Value same = first.getResult();
    if (same.getType() != other.getType())
      same = tensor::CastOp::create(rewriter, other.getLoc(), other.getType(),
                                    same);
    rewriter.replaceOp(other, same);
  }
  return first;
}

/// Computes a member in the loop, once; whoever reads it elsewhere reads the
/// loop's result. Null when it is left outside.
static LinalgOp fuseMember(LinalgOp member, IRRewriter &rewriter,
                           SmallVector<LoopLikeOpInterface> &loops) {
  SmallVector<tensor::ExtractSliceOp> slices = slicesOf(member, loops[0]);
  if (slices.empty() || !areOneSlice(slices))
    return nullptr;
  tensor::ExtractSliceOp slice = merge(slices, rewriter);
  bool isReadBehind = llvm::any_of(member->getUsers(), [&](Operation *user) {
    return isBehind(user, loops[0]);
  });
  rewriter.setInsertionPoint(slice);
  std::optional<scf::SCFFuseProducerOfSliceResult> fused =
      scf::tileAndFuseProducerOfSlice(rewriter, slice, loops);
  if (!fused)
    return nullptr;
  if (isReadBehind && succeeded(scf::yieldReplacementForFusedProducer(
                          rewriter, slice, *fused, loops)))
    rewriter.replaceUsesWithIf(
        member->getResult(0), loops[0]->getResults().back(),
        [&](OpOperand &use) { return isBehind(use.getOwner(), loops[0]); });
  if (slice->use_empty())
    rewriter.eraseOp(slice);
  if (member->use_empty())
    rewriter.eraseOp(member);
  return cast<LinalgOp>(fused->tiledOps.front());
}

/// Puts a cluster into one loop; returns what it is inside of the loop.
static FailureOr<RowCluster> fuse(RowCluster cluster, const Cut &cut,
                                  IRRewriter &rewriter) {
  rewriter.setInsertionPoint(cluster.root);
  scf::SCFTilingOptions options;
  options.setTileSizes(tileSizesOf(cluster, cut, rewriter));
  options.setLoopType(cut.loops);
  FailureOr<scf::SCFTilingResult> tiling = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(cluster.root.getOperation()), options);
  if (failed(tiling)) {
    cluster.root->emitError("cannot be tiled by rows");
    return failure();
  }
  SmallVector<LoopLikeOpInterface> loops = tiling->loops;
  rewriter.replaceOp(cluster.root, tiling->replacements);
  RowCluster inner;
  inner.root = cast<LinalgOp>(tiling->tiledOps.back());
  inner.tiled = cluster.tiled;
  for (LinalgOp member : llvm::reverse(cluster.members))
    if (LinalgOp fused = fuseMember(member, rewriter, loops))
      inner.members.push_back(fused);
  std::reverse(inner.members.begin(), inner.members.end());
  return inner;
}

/// A loop over blocks of rows, which threads can share, of loops over rows:
/// what a row keeps for itself is allocated once per block.
static LogicalResult fuseByBlocks(const RowCluster &cluster, int64_t rows,
                                  int64_t columns, IRRewriter &rewriter) {
  using LoopType = scf::SCFTilingOptions::LoopType;
  FailureOr<RowCluster> block =
      fuse(cluster, {LoopType::ForallOp, rows, columns}, rewriter);
  if (failed(block))
    return failure();
  if (block->tiled.back())
    return success();
  return fuse(*block, {LoopType::ForOp, 1, columns}, rewriter);
}

/// Whether loop i+1 follows loop i in every operand that has either.
static bool runTogether(LinalgOp op, unsigned i) {
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    MLIRContext *context = map.getContext();
    auto first = map.getResultPosition(getAffineDimExpr(i, context));
    auto second = map.getResultPosition(getAffineDimExpr(i + 1, context));
    return first ? second == *first + 1 : !second;
  });
}

/// Makes one loop of loops that walk over memory together.
static void collapseLoops(LinalgOp op, IRRewriter &rewriter) {
  SmallVector<ReassociationIndices> groups{{0}};
  for (unsigned loop = 1; loop < op.getNumLoops(); ++loop)
    if (runTogether(op, loop - 1))
      groups.back().push_back(loop);
    else
      groups.push_back({loop});
  if (groups.size() == op.getNumLoops())
    return;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(op, groups, rewriter);
  if (succeeded(collapsed))
    rewriter.replaceOp(op, collapsed->results);
}

/// Collapses what shares a loop with no reduction, and fuses the rest.
static LogicalResult runOnBlock(Block &block, int64_t rows, int64_t columns,
                                IRRewriter &rewriter) {
  SmallVector<RowCluster> clusters = findRowClusters(block);
  llvm::DenseSet<Operation *> fused;
  for (RowCluster &cluster : clusters) {
    if (cluster.members.empty())
      continue;
    fused.insert(cluster.root);
    fused.insert_range(cluster.members);
  }
  for (Operation &op : llvm::make_early_inc_range(block))
    if (isElementwiseRowOp(&op) && !fused.contains(&op))
      collapseLoops(cast<LinalgOp>(&op), rewriter);
  for (const RowCluster &cluster : findRowClusters(block))
    if (failed(fuseByBlocks(cluster, rows, columns, rewriter)))
      return failure();
  return success();
}

namespace {
class FuseRowsPass
    : public PassWrapper<FuseRowsPass, InterfacePass<FunctionOpInterface>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseRowsPass)

  FuseRowsPass() = default;
  FuseRowsPass(const FuseRowsPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "lh-fuse-rows"; }
  StringRef getDescription() const override {
    return "Puts reductions, and what is computed from them along the same "
           "rows, into one loop over rows";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, linalg::LinalgDialect,
                    scf::SCFDialect, tensor::TensorDialect>();
  }

private:
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      if (!isa<LinalgOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    IRRewriter rewriter(&getContext());
    for (Block *block : blocks)
      if (failed(runOnBlock(*block, rows, columns, rewriter)))
        return signalPassFailure();
  }

  Option<int64_t> rows{*this, "rows", llvm::cl::init(32),
                       llvm::cl::desc("rows per block")};
  Option<int64_t> columns{
      *this, "columns", llvm::cl::init(64),
      llvm::cl::desc("columns per block, where rows run along an outer "
                     "dimension")};
};
} // namespace

void lh::registerFuseRowsPass() { PassRegistration<FuseRowsPass>(); }
