// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins loops where every operand walks over its memory in one go.
#include "compiler/gaps/rows/CollapseLoops.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace lh;
using namespace mlir;
using linalg::LinalgOp;

/// Per loop of an op: whether it is one loop with the loop before it.
using Joined = SmallVector<bool>;

/// The ops of a cluster.
using JoinedLoops = llvm::MapVector<Operation *, Joined>;

/// The loops that walk over each operand's memory together with the one before.
/// What reads at places of its own needs each loop's index.
static Joined joinableLoops(LinalgOp op) {
  Joined joined(op.getNumLoops(), false);
  if (gathers(op))
    return joined;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  for (int64_t loop = 1; loop < op.getNumLoops(); ++loop)
    joined[loop] = types[loop - 1] == types[loop] &&
                   linalg::areDimSequencesPreserved(maps, {{loop - 1, loop}});
  return joined;
}

static LinalgOp collapse(LinalgOp op, ArrayRef<bool> joined,
                         IRRewriter &rewriter) {
  if (!llvm::is_contained(joined, true))
    return op;
  SmallVector<ReassociationIndices> groups;
  for (auto [loop, joins] : llvm::enumerate(joined))
    if (joins)
      groups.back().push_back(static_cast<int64_t>(loop));
    else
      groups.push_back({static_cast<int64_t>(loop)});
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(op, groups, rewriter);
  if (failed(collapsed))
    return op;
  rewriter.replaceOp(op, collapsed->results);
  return collapsed->collapsedOp;
}

LinalgOp lh::collapseLoops(LinalgOp op, IRRewriter &rewriter) {
  return collapse(op, joinableLoops(op), rewriter);
}

/// Takes back what only one of two ops joins: the loops over dimension `dim` of
/// the tensor between them, which `maps` number, and over the one before it.
/// Gives whether anything was taken back.
static bool agree(unsigned dim, std::pair<AffineMap, AffineMap> maps,
                  Joined &first, Joined &second) {
  auto loopOf = [&](AffineMap map, Joined &joined) -> bool * {
    unsigned loop = map.getDimPosition(dim);
    bool follows = map.getDimPosition(dim - 1) + 1 == loop;
    return follows && joined[loop] ? &joined[loop] : nullptr;
  };
  bool *mine = loopOf(maps.first, first), *theirs = loopOf(maps.second, second);
  if (!mine == !theirs)
    return false;
  *(mine ? mine : theirs) = false;
  return true;
}

/// Whether anything was taken back to make an op agree with who reads it. A
/// tensor that is read outside of the cluster keeps its shape.
static bool agreeWithReaders(LinalgOp op, JoinedLoops &loops) {
  bool changed = false;
  Joined &mine = loops[op];
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  Joined nothing(op.getNumLoops(), false);
  for (OpOperand &use : op->getUses()) {
    auto reader = loops.find(use.getOwner());
    bool isInside = reader != loops.end();
    AffineMap read =
        isInside ? cast<LinalgOp>(use.getOwner()).getMatchingIndexingMap(&use)
                 : written;
    for (unsigned dim = 1; dim < written.getNumResults(); ++dim)
      changed |= agree(dim, {written, read}, mine,
                       isInside ? reader->second : nothing);
  }
  return changed;
}

/// Folds the reshapes between collapsed ops, and of the tensors they begin
/// with.
static void foldReshapes(ArrayRef<LinalgOp> ops) {
  SmallVector<Operation *> reshapes;
  for (LinalgOp op : ops)
    for (Value operand : op->getOperands())
      if (auto reshape = operand.getDefiningOp<tensor::CollapseShapeOp>())
        reshapes.push_back(reshape);
  llvm::SetVector<Operation *> each(reshapes.begin(), reshapes.end());
  if (each.empty())
    return;
  RewritePatternSet patterns(ops.front()->getContext());
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns,
                                                       patterns.getContext());
  tensor::populateFoldTensorEmptyPatterns(patterns);
  (void)applyOpPatternsGreedily(each.getArrayRef(), std::move(patterns));
}

/// The loops that make one with the innermost: only those make rows longer.
static Joined innermostLoops(LinalgOp op) {
  Joined joined = joinableLoops(op);
  auto outside = llvm::find(llvm::reverse(joined), false).base();
  std::fill(joined.begin(), outside, false);
  return joined;
}

void lh::collapseRows(const RowCluster &cluster, IRRewriter &rewriter) {
  JoinedLoops loops;
  for (LinalgOp op : cluster.members)
    loops.insert({op, innermostLoops(op)});
  Joined &root =
      loops.insert({cluster.root, innermostLoops(cluster.root)}).first->second;
  for (size_t loop = 1; loop < root.size(); ++loop)
    root[loop] =
        root[loop] && !cluster.isTiled(loop - 1) && !cluster.isTiled(loop);
  bool changed = true;
  while (changed) {
    changed = false;
    for (LinalgOp op : llvm::reverse(cluster.members))
      changed |= agreeWithReaders(op, loops);
  }
  SmallVector<LinalgOp> collapsed;
  for (auto &[op, joined] : loops)
    collapsed.push_back(collapse(cast<LinalgOp>(op), joined, rewriter));
  foldReshapes(collapsed);
}
