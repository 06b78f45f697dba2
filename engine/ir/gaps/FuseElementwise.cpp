// Elementwise fusion that keeps out of contractions. Upstream's pass decides by
// a callback that it takes from C++ only.
#include "ir/gaps/Gaps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

static bool hasOneUser(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  return producer && producer->hasOneUse();
}

/// An operand's element takes part in many products: whoever computes it inside
/// the contraction computes it as often.
static bool feedsContraction(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  return consumer && linalg::isaContractionOpInterface(consumer);
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
class FuseElementwisePass
    : public PassWrapper<FuseElementwisePass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseElementwisePass)

  StringRef getArgument() const override { return "lh-fuse-elementwise"; }
  StringRef getDescription() const override {
    return "Fuses elementwise linalg ops, but none into a contraction";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }

private:
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *operand) {
          return hasOneUser(operand) && !feedsContraction(operand);
        });
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, hasOneUser);
    tensor::populateBubbleUpExpandShapePatterns(patterns);
    addCleanUp(patterns);
    GreedyRewriteConfig topDown;
    topDown.setUseTopDownTraversal();
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     topDown)))
      signalPassFailure();
  }
};
} // namespace

void lh::registerFuseElementwisePass() {
  PassRegistration<FuseElementwisePass>();
}
