// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles the last op of a cluster and pulls the others in, each of them once.
// Upstream's structured.fuse takes every producer there is, and clones one for
// each of its uses.
#include "compiler/gaps/rows/RowLoops.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;
using linalg::LinalgOp;

/// The value outside of the loop that a slice is cut from.
static Value untiledSource(tensor::ExtractSliceOp slice,
                           LoopLikeOpInterface loop) {
  auto argument = dyn_cast<BlockArgument>(slice.getSource());
  if (!argument || argument.getOwner()->getParentOp() != loop)
    return slice.getSource();
  OpOperand *init = loop.getTiedLoopInit(argument);
  return init ? init->get() : slice.getSource();
}

/// Whether the user stands behind the loop, in its block or further in.
static bool isBehind(Operation *user, LoopLikeOpInterface loop) {
  Operation *atLevel = loop->getBlock()->findAncestorOpInBlock(*user);
  return atLevel && loop->isBeforeInBlock(atLevel);
}

/// The slice of a member's result in the loop. Where there are several, all are
/// one slice: rows are whole in each user, and an index of a row means the same
/// in each. Null where they aren't.
static tensor::ExtractSliceOp sliceOf(LinalgOp member, LoopLikeOpInterface loop,
                                      IRRewriter &rewriter) {
  auto slices = llvm::filter_to_vector(
      loop.getLoopRegions().front()->getOps<tensor::ExtractSliceOp>(),
      [&](tensor::ExtractSliceOp slice) {
        return untiledSource(slice, loop) == member->getResult(0);
      });
  if (slices.empty())
    return nullptr;
  tensor::ExtractSliceOp first = slices.front();
  if (!llvm::all_of(slices, [&](tensor::ExtractSliceOp slice) {
        return slice.getType().getRank() == first.getType().getRank() &&
               isEqualConstantIntOrValueArray(slice.getMixedOffsets(),
                                              first.getMixedOffsets());
      }))
    return nullptr;
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
  tensor::ExtractSliceOp slice = sliceOf(member, loops[0], rewriter);
  if (!slice)
    return nullptr;
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

FailureOr<RowLoop> lh::fuseIntoLoop(const RowCluster &cluster,
                                    ArrayRef<int64_t> sizes,
                                    scf::SCFTilingOptions::LoopType kind,
                                    IRRewriter &rewriter) {
  rewriter.setInsertionPoint(cluster.root);
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(rewriter.getContext(), sizes));
  options.setLoopType(kind);
  LinalgOp root = cluster.root;
  FailureOr<scf::SCFTilingResult> tiling = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(root.getOperation()), options);
  if (failed(tiling)) {
    root->emitError("cannot be tiled by rows");
    return failure();
  }
  RowLoop made;
  made.loops = tiling->loops;
  rewriter.replaceOp(root, tiling->replacements);
  made.inside.root = cast<LinalgOp>(tiling->tiledOps.back());
  made.inside.tiled = cluster.tiled;
  for (LinalgOp member : llvm::reverse(cluster.members))
    if (LinalgOp fused = fuseMember(member, rewriter, made.loops))
      made.inside.members.push_back(fused);
  std::reverse(made.inside.members.begin(), made.inside.members.end());
  return made;
}
