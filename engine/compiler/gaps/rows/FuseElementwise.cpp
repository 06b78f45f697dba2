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
  return llvm::any_of(llvm::enumerate(consumer.getStaticLoopRanges()),
                      [&](auto loop) {
                        return loop.value() != 1 &&
                               !map.isFunctionOfDim(
                                   static_cast<unsigned>(loop.index()));
                      });
}

/// An operand's element takes part in many products or windows, or in many
/// iterations: whoever computes it inside them computes it as often. What gives
/// elements other places reads them one by one, and would compute them so.
static bool mayFuse(OpOperand *operand) {
  return hasOneUser(operand) && !isProduct(operand->getOwner()) &&
         !readsWindows(operand->getOwner()) &&
         !(computes(operand->get().getDefiningOp()) &&
           (isReadAgain(operand) || scatters(operand->getOwner())));
}

/// A contraction of more dimensions would be no matrix product any more.
static bool mayExpand(OpOperand *operand) {
  if (!hasOneUser(operand))
    return false;
  Operation *producer = operand->get().getDefiningOp();
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
  void runOnOperation() override {
    RewritePatternSet fusion(&getContext()), collapsing(&getContext()),
        expansion(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(fusion, mayFuse);
    linalg::populateFoldReshapeOpsByCollapsingPatterns(collapsing, mayCollapse);
    linalg::populateElementwiseOpsFusionPatterns(expansion, mayFuse);
    linalg::populateFoldReshapeOpsByExpansionPatterns(expansion, mayExpand);
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
