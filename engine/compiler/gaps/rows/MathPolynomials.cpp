// exp in 15 operations instead of 27, erf in 17 instead of 50: upstream's erf
// computes every range of its argument and selects.
#include "compiler/gaps/rows/MathPolynomials.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace {
/// Arithmetic on f32 of one shape, scalar or vector.
class Numbers {
public:
  Numbers(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), floats(type),
        integers(sameShape(builder.getI32Type())) {}

  Value constant(float value) { return splat(floats, rounded(value)); }
  Value integer(int32_t value) {
    return splat(integers, builder.getI32IntegerAttr(value));
  }
  Value add(Value a, Value b) { return make<arith::AddFOp>(a, b); }
  Value subtract(Value a, Value b) { return make<arith::SubFOp>(a, b); }
  Value multiply(Value a, Value b) { return make<arith::MulFOp>(a, b); }
  Value divide(Value a, Value b) { return make<arith::DivFOp>(a, b); }
  Value shiftLeft(Value a, Value b) { return make<arith::ShLIOp>(a, b); }
  Value fma(Value a, Value b, Value c) {
    return math::FmaOp::create(builder, loc, a, b, c);
  }
  Value bitsOf(Value a) {
    return arith::BitcastOp::create(builder, loc, integers, a);
  }
  Value ofBits(Value a) {
    return arith::BitcastOp::create(builder, loc, floats, a);
  }
  /// `a`, or `bound` where that is larger; a NaN stays one. One instruction,
  /// where arith.maximumf is three.
  Value atLeast(Value a, Value bound) {
    return either(arith::CmpFPredicate::OGT, bound, a);
  }
  Value atMost(Value a, Value bound) {
    return either(arith::CmpFPredicate::OLT, bound, a);
  }
  /// The polynomial with `coefficients`, constant first.
  Value polynomial(Value x, ArrayRef<float> coefficients) {
    Value sum = constant(coefficients.back());
    for (float coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, constant(coefficient));
    return sum;
  }

private:
  template <typename Op> Value make(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }
  Value either(arith::CmpFPredicate better, Value bound, Value a) {
    Value isBetter = arith::CmpFOp::create(builder, loc, better, bound, a);
    return arith::SelectOp::create(builder, loc, isBetter, bound, a);
  }
  Type sameShape(Type element) {
    auto vector = dyn_cast<VectorType>(floats);
    return vector ? vector.cloneWith(std::nullopt, element) : element;
  }
  TypedAttr rounded(float value) { return builder.getF32FloatAttr(value); }
  Value splat(Type type, TypedAttr element) {
    if (auto vector = dyn_cast<VectorType>(type))
      element = DenseElementsAttr::get(vector, Attribute(element));
    return arith::ConstantOp::create(builder, loc, element);
  }

  OpBuilder &builder;
  Location loc;
  Type floats, integers;
};

/// exp(x) = 2^n exp(r) with n the whole number next to x / ln 2. Above 127 n
/// stays there, so that 2^n is a number, and r grows to ln 2.
class ExpPolynomial : public OpRewritePattern<math::ExpOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Numbers n(rewriter, op.getLoc(), op.getType());
    // Least x for which 2^n is none below zero's.
    Value x = n.atLeast(op.getOperand(), n.constant(-88.0f));
    // Adding 1.5 * 2^23 rounds to whole numbers; they are in its last bits. 127
    // more make these the exponent of 2^n.
    constexpr float rounder = 12582912.0f + 127.0f;
    Value whole = n.fma(x, n.constant(1.44269504f), n.constant(rounder));
    whole = n.atMost(whole, n.constant(rounder + 127.0f));
    Value power = n.subtract(whole, n.constant(rounder));
    // ln 2 in two parts: the first one times `power` is exact.
    Value rest = n.fma(power, n.constant(-0.693359375f), x);
    rest = n.fma(power, n.constant(2.12194440e-4f), rest);
    Value scale = n.ofBits(n.shiftLeft(n.bitsOf(whole), n.integer(23)));
    // 1.7 units in the last place, up to ln 2, too; with a degree more 1.0.
    Value result =
        n.polynomial(rest, {1.0f, 1.0f, 0.500002086f, 0.166670054f,
                            0.0416223817f, 0.00832590833f, 0.00162213237f});
    rewriter.replaceOp(op, n.multiply(result, scale));
    return success();
  }
};

/// erf(x) = x P(x^2) / Q(x^2) up to 3.95, where that is exactly 1: nothing else
/// will do beyond, as 1 + erf(x) is multiplied by x in a GELU.
class ErfQuotient : public OpRewritePattern<math::ErfOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Numbers n(rewriter, op.getLoc(), op.getType());
    Value x = n.atLeast(op.getOperand(), n.constant(-3.95f));
    x = n.atMost(x, n.constant(3.95f));
    Value square = n.multiply(x, x);
    Value above = n.polynomial(
        square, {1.12837923f, 0.185135335f, 0.0542440005f, 0.0038386255f,
                 0.00037675933f, 4.60924275e-06f, -1.27998501e-08f});
    Value below =
        n.polynomial(square, {1.0f, 0.49740532f, 0.113873787f, 0.0154300556f,
                              0.00130152586f, 6.23992601e-05f});
    rewriter.replaceOp(op, n.divide(n.multiply(x, above), below));
    return success();
  }
};

static bool isReduction(Value value) {
  auto sum = value.getDefiningOp<vector::ReductionOp>();
  return sum && sum.getKind() == vector::CombiningKind::ADD;
}

/// A sum of a vector's lanes, maybe one that a loop keeps for an iteration.
static bool isSum(Value value) {
  if (isReduction(value))
    return true;
  auto loop = value.getDefiningOp<scf::ForOp>();
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument)
    loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || (argument && argument == loop.getInductionVar()))
    return false;
  unsigned place = argument ? argument.getArgNumber() - 1
                            : cast<OpResult>(value).getResultNumber();
  return isReduction(loop.getInitArgs()[place]) &&
         isReduction(loop.getYieldedValues()[place]);
}

/// A vector divided by a sum: one division per row instead of one per element,
/// which a row's sum outweighs in rounding.
class QuotientBySum : public OpRewritePattern<arith::DivFOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    auto spread = op.getRhs().getDefiningOp<vector::BroadcastOp>();
    if (!spread || !isa<FloatType>(spread.getSourceType()))
      return failure();
    if (!isSum(spread.getSource()))
      return failure();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfter(spread);
    Location loc = op.getLoc();
    Numbers scalar(rewriter, loc, spread.getSourceType());
    Value one = arith::ConstantOp::create(
        rewriter, loc, rewriter.getOneAttr(spread.getSourceType()));
    Value inverse = vector::BroadcastOp::create(
        rewriter, loc, op.getType(), scalar.divide(one, spread.getSource()));
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), inverse);
    return success();
  }
};
} // namespace

static constexpr unsigned preferred = 2;

void lh::populateExpPolynomial(RewritePatternSet &patterns) {
  patterns.add<ExpPolynomial>(patterns.getContext(), preferred);
}

void lh::populateErfQuotient(RewritePatternSet &patterns) {
  patterns.add<ErfQuotient>(patterns.getContext(), preferred);
}

void lh::populateQuotientsBySums(RewritePatternSet &patterns) {
  patterns.add<QuotientBySum>(patterns.getContext(), preferred);
}
