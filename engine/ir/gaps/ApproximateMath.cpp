// Polynomial approximations of f32 math ops, which upstream only has as a
// test pass.
#include "ir/gaps/Gaps.h"
#include "ir/gaps/MathPolynomials.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace {
class ApproximateMathPass
    : public PassWrapper<ApproximateMathPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ApproximateMathPass)

  StringRef getArgument() const override { return "lh-approximate-math"; }
  StringRef getDescription() const override {
    return "Replaces f32 math ops on scalars and vectors by polynomials";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect,
                    vector::VectorDialect>();
  }

  ApproximateMathPass() = default;
  ApproximateMathPass(const ApproximateMathPass &other) : PassWrapper(other) {}

private:
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

  ListOption<std::string> functions{
      *this, "functions",
      llvm::cl::desc("the functions to replace, as in math.NAME; all of them "
                     "when none is named")};
};
} // namespace

void lh::registerApproximateMathPass() {
  PassRegistration<ApproximateMathPass>();
}
