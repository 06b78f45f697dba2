// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise fusion that keeps out of contractions. Upstream's pass decides by
// a callback that it takes from C++ only.
#include "compiler/gaps/products/Products.h"
#include "compiler/gaps/rows/RowClusters.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace lh {
#define GEN_PASS_DECL_FUSEELEMENTWISEPASS
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "compiler/gaps/rows/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

static bool hasOneUser(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  return producer && producer->hasOneUse();
}

/// A contraction, or what comes right after one.
static bool belongsToContraction(Operation *op) {
  return isProduct(op) || llvm::any_of(op->getOperands(), [](Value value) {
           return isProduct(value.getDefiningOp());
         });
}

/// Whether the consumer reads each element of the operand in several of its
/// iterations, as it does a number for each channel.
static bool isReadAgain(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!consumer)
    return false;
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  return llvm::any_of(
      llvm::enumerate(consumer.getStaticLoopRanges()), [&](auto loop) {
        return loop.value() != 1 &&
               !map.isFunctionOfDim(static_cast<unsigned>(loop.index()));
      });
}

/// Whether an op gives elements other places so that fewer than half of `block`
/// neighbours were or are such: the channels of a shuffle.
static bool shuffles(Operation *op, int64_t block) {
  if (!scatters(op))
    return false;
  auto generic = cast<linalg::GenericOp>(op);
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  SmallVector<int64_t> sizes = generic.getStaticLoopRanges();
  AffineExpr last = maps[1].getResults().back();
  int64_t behind = 1;
  for (AffineExpr loop : llvm::reverse(maps[0].getResults())) {
    int64_t size = sizes[cast<AffineDimExpr>(loop).getPosition()];
    if (ShapedType::isDynamic(size))
      return false;
    if (loop == last)
      return 2 * std::min(size, behind) < block;
    behind *= size;
  }
  return false;
}

/// Whether a sum would read an operand of `producer` across its rows, one of
/// its neighbours by itself: by blocks only elementwise ops are turned. Or by
/// indices that other operands hold: sums of such have no vector form.
static bool sumsApart(Operation *consumer, Operation *producer) {
  auto sum = dyn_cast<linalg::GenericOp>(consumer);
  auto terms = dyn_cast<linalg::GenericOp>(producer);
  if (!sum || !terms || sum.isAllParallelLoops())
    return false;
  return llvm::any_of(terms.getIndexingMapsArray(), turnsRows) ||
         gathers(terms);
}

/// An operand's element takes part in many products or windows, or in many
/// iterations: whoever computes it inside them computes it as often. What gives
/// elements other places reads them one by one, and would compute them so; so
/// would what computes with shuffled elements.
static bool mayFuse(OpOperand *operand, int64_t block) {
  Operation *consumer = operand->getOwner();
  if (!hasOneUser(operand) || isProduct(consumer) || readsWindows(consumer))
    return false;
  Operation *producer = operand->get().getDefiningOp();
  return computes(producer) ? !isReadAgain(operand) && !scatters(consumer) &&
                                  !sumsApart(consumer, producer)
                            : !shuffles(producer, block) || scatters(consumer);
}

/// Whether a reshape adds or drops dimensions of size 1 alone.
static bool isOfUnits(Operation *reshape) {
  if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(reshape))
    return false;
  auto sizes = [](Value tensor) {
    return llvm::to_vector(llvm::make_filter_range(
        cast<RankedTensorType>(tensor.getType()).getShape(),
        [](int64_t size) { return size != 1; }));
  };
  return sizes(reshape->getOperand(0)) == sizes(reshape->getResult(0));
}

/// Whether the last dimension of several that are one otherwise has fewer
/// numbers than `block`.
static bool hasShortRows(Operation *reshape, int64_t block) {
  auto isShort = [&](Value parts, ArrayRef<ReassociationIndices> groups) {
    if (groups.empty() || groups.back().size() < 2)
      return false;
    int64_t last = cast<RankedTensorType>(parts.getType()).getShape().back();
    return !ShapedType::isDynamic(last) && last < block;
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
    return isShort(expand.getResult(), expand.getReassociationIndices());
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape);
  return collapse &&
         isShort(collapse.getSrc(), collapse.getReassociationIndices());
}

/// A contraction of more dimensions would be no matrix product any more, and
/// loops of one iteration hide which one is innermost. What comes behind a
/// shuffle has short rows in more dimensions, and so has what computes in front
/// of one.
static bool mayExpand(OpOperand *operand, int64_t block) {
  if (!hasOneUser(operand))
    return false;
  Operation *producer = operand->get().getDefiningOp();
  if (computes(producer) && hasShortRows(operand->getOwner(), block))
    return false;
  if (isOfUnits(producer) || isOfUnits(operand->getOwner()))
    return false;
  auto merge = dyn_cast<tensor::CollapseShapeOp>(producer);
  if (Operation *parts = merge ? merge.getSrc().getDefiningOp() : nullptr;
      parts && scatters(parts))
    return false;
  Operation *expanded = isa<linalg::LinalgOp>(operand->getOwner())
                            ? operand->getOwner()
                            : producer;
  return !belongsToContraction(expanded);
}

/// What follows a contraction, also by way of a bias, takes the contraction's
/// shape, so that it can be computed with it.
static bool mayCollapse(OpOperand *operand) {
  auto reshape = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!reshape || !consumer || !reshape->hasOneUse() ||
      !consumer.isAllParallelLoops())
    return false;
  Operation *producer = reshape.getSrc().getDefiningOp();
  auto bias = dyn_cast_or_null<linalg::GenericOp>(producer);
  bool isEpilogue = bias && bias.isAllParallelLoops() &&
                    reshape.getSrc().hasOneUse() && belongsToContraction(bias);
  return isProduct(producer) || isEpilogue;
}

static void addCleanUp(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  context->getLoadedDialect<linalg::LinalgDialect>()
      ->getCanonicalizationPatterns(patterns);
}

namespace {
struct FuseElementwisePass
    : lh::impl::FuseElementwisePassBase<FuseElementwisePass> {
  using Base::Base;

  void runOnOperation() override {
    auto fuses = [this](OpOperand *operand) { return mayFuse(operand, turn); };
    RewritePatternSet fusion(&getContext()), collapsing(&getContext()),
        expansion(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(fusion, fuses);
    linalg::populateFoldReshapeOpsByCollapsingPatterns(collapsing, mayCollapse);
    linalg::populateElementwiseOpsFusionPatterns(expansion, fuses);
    linalg::populateFoldReshapeOpsByExpansionPatterns(
        expansion,
        [this](OpOperand *operand) { return mayExpand(operand, turn); });
    tensor::populateBubbleUpExpandShapePatterns(expansion);
    for (RewritePatternSet *patterns : {&fusion, &collapsing, &expansion})
      if (failed(apply(std::move(*patterns))))
        return signalPassFailure();
  }

  LogicalResult apply(RewritePatternSet patterns) {
    addCleanUp(patterns);
    GreedyRewriteConfig topDown;
    topDown.setUseTopDownTraversal();
    return applyPatternsGreedily(getOperation(), std::move(patterns), topDown);
  }
};
} // namespace
