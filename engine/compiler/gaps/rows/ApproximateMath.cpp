// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Polynomial approximations of f32 math ops: upstream's, which it has in a test
// pass alone; exp in 15 operations instead of 27; erf in 17 instead of 50, as
// upstream's computes every range of its argument and selects; and a quotient
// of a row and its sum as a product.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace lh {
#define GEN_PASS_DECL_APPROXIMATEMATHPASS
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "compiler/gaps/rows/Passes.h.inc"
} // namespace lh

using namespace mlir;
using Emitter = ImplicitLocOpBuilder;

/// The number, or a vector of it, as `like` is one.
static Value number(Emitter &b, float value, Value like) {
  return createScalarOrSplatConstant(b, b.getLoc(), like.getType(),
                                     APFloat(value));
}

/// `a`, or `bound` where that is more (OGT) or less (OLT); a NaN stays one. One
/// instruction, where arith.maximumf is three.
static Value limited(Emitter &b, Value a, arith::CmpFPredicate better,
                     float bound) {
  Value limit = number(b, bound, a);
  Value isBetter = arith::CmpFOp::create(b, better, limit, a);
  return arith::SelectOp::create(b, isBetter, limit, a);
}

/// The polynomial with `coefficients`, constant first.
static Value polynomial(Emitter &b, Value x, ArrayRef<float> coefficients) {
  Value sum = number(b, coefficients.back(), x);
  for (float coefficient : llvm::reverse(coefficients.drop_back()))
    sum = math::FmaOp::create(b, sum, x, number(b, coefficient, x));
  return sum;
}

/// Within 1.7 units in the last place; results below the smallest normal number
/// may be zero. exp(x) = 2^n exp(r) with n the whole number next to x / ln 2.
/// Above 127 n stays there, so that 2^n is a number, and r grows to ln 2.
static LogicalResult approximateExp(math::ExpOp op, PatternRewriter &rewriter) {
  Type type = op.getType();
  if (!getElementTypeOrSelf(type).isF32())
    return failure();
  Emitter b(op.getLoc(), rewriter);
  auto vector = dyn_cast<VectorType>(type);
  Type bits = b.getI32Type();
  if (vector)
    bits = vector.clone(bits);
  // Least x for which 2^n is none below zero's.
  Value x = limited(b, op.getOperand(), arith::CmpFPredicate::OGT, -88.0f);
  // Adding 1.5 * 2^23 rounds to whole numbers; they are in its last bits. 127
  // more make these the exponent of 2^n.
  constexpr float rounder = 12582912.0f + 127.0f;
  Value whole = polynomial(b, x, {rounder, 1.44269504f});
  whole = limited(b, whole, arith::CmpFPredicate::OLT, rounder + 127.0f);
  Value power = arith::SubFOp::create(b, whole, number(b, rounder, x));
  // ln 2 in two parts: the first one times `power` is exact.
  Value rest = math::FmaOp::create(b, power, number(b, -0.693359375f, x), x);
  rest = math::FmaOp::create(b, power, number(b, 2.12194440e-4f, x), rest);
  Value exponent = arith::ShLIOp::create(
      b, arith::BitcastOp::create(b, bits, whole),
      createScalarOrSplatConstant(b, b.getLoc(), bits, int64_t(23)));
  Value scale = arith::BitcastOp::create(b, type, exponent);
  // 1.7 units in the last place, up to ln 2, too; with a degree more 1.0.
  Value result = polynomial(b, rest,
                            {1.0f, 1.0f, 0.500002086f, 0.166670054f,
                             0.0416223817f, 0.00832590833f, 0.00162213237f});
  rewriter.replaceOpWithNewOp<arith::MulFOp>(op, result, scale);
  return success();
}

/// Within 5 units in the last place. erf(x) = x P(x^2) / Q(x^2) up to 3.95,
/// where that is exactly 1: nothing else will do beyond, as 1 + erf(x) is
/// multiplied by x in a GELU.
static LogicalResult approximateErf(math::ErfOp op, PatternRewriter &rewriter) {
  if (!getElementTypeOrSelf(op.getType()).isF32())
    return failure();
  Emitter b(op.getLoc(), rewriter);
  Value x = limited(b, op.getOperand(), arith::CmpFPredicate::OGT, -3.95f);
  x = limited(b, x, arith::CmpFPredicate::OLT, 3.95f);
  Value square = arith::MulFOp::create(b, x, x);
  Value above =
      polynomial(b, square,
                 {1.12837923f, 0.185135335f, 0.0542440005f, 0.0038386255f,
                  0.00037675933f, 4.60924275e-06f, -1.27998501e-08f});
  Value below = polynomial(b, square,
                           {1.0f, 0.49740532f, 0.113873787f, 0.0154300556f,
                            0.00130152586f, 6.23992601e-05f});
  rewriter.replaceOpWithNewOp<arith::DivFOp>(
      op, arith::MulFOp::create(b, x, above), below);
  return success();
}

static bool isReduction(Value value) {
  auto sum = value.getDefiningOp<vector::ReductionOp>();
  return sum && sum.getKind() == vector::CombiningKind::ADD;
}

/// A sum of a vector's lanes, maybe one that a loop keeps for an iteration.
static bool isSum(Value value) {
  auto kept = dyn_cast<BlockArgument>(value);
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    kept = loop.getTiedLoopRegionIterArg(cast<OpResult>(value));
  if (!kept)
    return isReduction(value);
  auto loop = dyn_cast<scf::ForOp>(kept.getOwner()->getParentOp());
  return loop && kept != loop.getInductionVar() &&
         isReduction(loop.getTiedLoopInit(kept)->get()) &&
         isReduction(loop.getTiedLoopYieldedValue(kept)->get());
}

/// A vector divided by a sum: one division per row instead of one per element,
/// which a row's sum outweighs in rounding.
static LogicalResult multiplyByInverse(arith::DivFOp op,
                                       PatternRewriter &rewriter) {
  auto spread = op.getRhs().getDefiningOp<vector::BroadcastOp>();
  if (!spread || !isa<FloatType>(spread.getSourceType()) ||
      !isSum(spread.getSource()))
    return failure();
  Emitter b(op.getLoc(), rewriter);
  b.setInsertionPointAfter(spread);
  Value one =
      arith::ConstantOp::create(b, b.getOneAttr(spread.getSourceType()));
  Value inverse = vector::BroadcastOp::create(
      b, op.getType(), arith::DivFOp::create(b, one, spread.getSource()));
  rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), inverse);
  return success();
}

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
    constexpr unsigned preferred = 2;
    if (isChosen("math.exp"))
      patterns.add(approximateExp, preferred);
    if (isChosen("math.erf"))
      patterns.add(approximateErf, preferred);
    patterns.add(multiplyByInverse, preferred);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
