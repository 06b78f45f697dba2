// What a contraction adds to becomes an addition of its own, so that a schedule
// finds one form: products summed up from zero, elementwise ops after them.
#include "ir/gaps/Convolution.h"
#include "ir/gaps/Gaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

using namespace lh;
using namespace mlir;

static bool startsAtFill(linalg::LinalgOp contraction) {
  Value start = contraction.getDpsInits()[0];
  return start.getDefiningOp<linalg::FillOp>() ||
         start.getDefiningOp<tensor::EmptyOp>();
}

static Value zerosLike(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, tensor),
      type.getElementType());
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
}

static Value add(OpBuilder &builder, Location loc, Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

/// Others combine products by `or`, or complex numbers.
static bool sumsUpNumbers(linalg::LinalgOp contraction) {
  Operation *yield = contraction.getBlock()->getTerminator();
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(
      yield->getOperand(0).getDefiningOp());
}

/// A product of matrices, or a convolution that can become one.
static bool multiplies(linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  return linalg::isaContractionOpInterface(op) ||
         (generic && anyConvolutionOf(generic));
}

static void separate(linalg::LinalgOp contraction) {
  OpBuilder builder(contraction->getContext());
  builder.setInsertionPoint(contraction);
  Location loc = contraction.getLoc();
  Value start = contraction.getDpsInits()[0];
  contraction.getDpsInitsMutable()[0].set(zerosLike(builder, loc, start));
  builder.setInsertionPointAfter(contraction);
  Value product = contraction->getResult(0);
  auto rank = static_cast<unsigned>(
      cast<RankedTensorType>(product.getType()).getRank());
  SmallVector<AffineMap> maps(3, builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, start),
      cast<RankedTensorType>(start.getType()).getElementType());
  auto sum = linalg::GenericOp::create(
      builder, loc, product.getType(), ValueRange{start, product}, empty, maps,
      loops, [](OpBuilder &b, Location at, ValueRange values) {
        linalg::YieldOp::create(b, at, add(b, at, values[0], values[1]));
      });
  product.replaceAllUsesExcept(sum->getResult(0), sum);
}

namespace {
class StartAtZeroPass : public PassWrapper<StartAtZeroPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StartAtZeroPass)

  StringRef getArgument() const override { return "lh-start-at-zero"; }
  StringRef getDescription() const override {
    return "Contractions sum up from zero; what they started from is added";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }

private:
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> contractions;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (multiplies(op) && op.hasPureTensorSemantics() && sumsUpNumbers(op) &&
          !startsAtFill(op))
        contractions.push_back(op);
    });
    for (linalg::LinalgOp contraction : contractions)
      separate(contraction);
  }
};
} // namespace

void lh::registerStartAtZeroPass() { PassRegistration<StartAtZeroPass>(); }
