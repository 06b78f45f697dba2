// Polynomial approximations of f32 math ops, which upstream only has as a
// test pass.
#include "compiler/gaps/rows/MathPolynomials.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace lh {
#define GEN_PASS_DECL_APPROXIMATEMATHPASS
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "compiler/gaps/rows/Passes.h.inc"
} // namespace lh

using namespace mlir;

namespace {
struct ApproximateMathPass
    : lh::impl::ApproximateMathPassBase<ApproximateMathPass> {
  using Base::Base;

  bool isChosen(StringRef opName) const {
    StringRef function = opName.split('.').second;
    return functions.empty() || llvm::is_contained(functions, function);
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    // Only f32. The overload without a predicate would also compute f16 in
    // f32, which is the pipeline's choice to make.
    populateMathPolynomialApproximationPatterns(
        patterns, [&](StringRef opName) { return isChosen(opName); });
    if (isChosen("math.exp"))
      lh::populateExpPolynomial(patterns);
    if (isChosen("math.erf"))
      lh::populateErfQuotient(patterns);
    lh::populateQuotientsBySums(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
