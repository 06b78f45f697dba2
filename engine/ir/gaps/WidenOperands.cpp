// Products of narrow numbers become products of what they are summed up in: the
// operands are widened by elementwise ops of their own, which are vectorised
// and fused like any other, and done once for each element.
#include "ir/gaps/Gaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

using ScalarBuilder = llvm::function_ref<Value(OpBuilder &, Location, Value)>;

/// `tensor` with each element mapped to `type`.
static Value mapped(OpBuilder &builder, Location loc, Value tensor, Type type,
                    ScalarBuilder body) {
  auto rank =
      static_cast<unsigned>(cast<RankedTensorType>(tensor.getType()).getRank());
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, tensor), type);
  auto map = linalg::GenericOp::create(
      builder, loc, empty.getType(), ValueRange{tensor}, ValueRange{empty},
      maps, loops, [&](OpBuilder &b, Location at, ValueRange values) {
        linalg::YieldOp::create(b, at, body(b, at, values[0]));
      });
  return map->getResult(0);
}

/// The cast that is all that happens to `argument`; null where there is none.
static Operation *wideningOf(BlockArgument argument) {
  if (!argument.hasOneUse())
    return nullptr;
  Operation *user = *argument.getUsers().begin();
  return isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(user) ? user
                                                                  : nullptr;
}

/// A matrix product of any form; widening what a dot product or a
/// matrix-vector product reads once would only write it out and read it again.
static bool isMatrixProduct(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op) || !op.hasPureTensorSemantics())
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  return succeeded(dims) && !dims->m.empty() && !dims->n.empty() &&
         !dims->k.empty();
}

static Type elementOf(Value tensor) {
  return getElementTypeOrSelf(tensor.getType());
}

static bool isNarrowFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

/// Casts inside the body move out to the operands.
static void widenInputs(linalg::GenericOp product) {
  OpBuilder builder(product);
  for (OpOperand *operand : product.getDpsInputOperands()) {
    BlockArgument argument = product.getMatchingBlockArgument(operand);
    Operation *widening = wideningOf(argument);
    if (!widening)
      continue;
    Type type = widening->getResult(0).getType();
    operand->set(mapped(builder, product.getLoc(), operand->get(), type,
                        [&](OpBuilder &b, Location, Value value) {
                          IRMapping map;
                          map.map(argument, value);
                          return b.clone(*widening, map)->getResult(0);
                        }));
    widening->getResult(0).replaceAllUsesWith(argument);
    widening->erase();
    argument.setType(type);
  }
}

static Value extended(OpBuilder &builder, Location loc, Value tensor,
                      Type type) {
  return mapped(builder, loc, tensor, type,
                [&](OpBuilder &b, Location at, Value value) -> Value {
                  return arith::ExtFOp::create(b, at, type, value);
                });
}

/// What the sums start from: zeros needn't be extended.
static Value extendedStart(OpBuilder &builder, Location loc, Value start,
                           Type type) {
  auto fill = start.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return extended(builder, loc, start, type);
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, start), type);
  Value value = arith::ExtFOp::create(builder, loc, type, fill.value());
  return linalg::FillOp::create(builder, loc, value, empty).getResult(0);
}

/// Sums in a narrow type are kept in f32 and rounded once, at the end.
static void widenSums(linalg::GenericOp product) {
  OpBuilder builder(product);
  Location loc = product.getLoc();
  Type narrow = elementOf(product.getResult(0)), wide = builder.getF32Type();
  SmallVector<Value> inputs;
  for (Value input : product.getInputs())
    inputs.push_back(
        elementOf(input) == wide ? input : extended(builder, loc, input, wide));
  Value start = extendedStart(builder, loc, product.getOutputs()[0], wide);
  auto sums = linalg::GenericOp::create(
      builder, loc, start.getType(), inputs, start,
      product.getIndexingMapsArray(), product.getIteratorTypesArray(),
      [](OpBuilder &b, Location at, ValueRange values) {
        Value factor = arith::MulFOp::create(b, at, values[0], values[1]);
        Value sum = arith::AddFOp::create(b, at, values[2], factor);
        linalg::YieldOp::create(b, at, sum);
      });
  Value rounded = mapped(builder, loc, sums->getResult(0), narrow,
                         [&](OpBuilder &b, Location at, Value value) -> Value {
                           return arith::TruncFOp::create(b, at, narrow, value);
                         });
  product.replaceAllUsesWith(ValueRange{rounded});
  product.erase();
}

/// Whether the body is nothing but a product of its inputs added to the sum.
static bool isPlainSum(linalg::GenericOp product) {
  return product.getInputs().size() == 2 &&
         llvm::range_size(product.getBody()->without_terminator()) == 2 &&
         llvm::all_of(product.getBody()->without_terminator(),
                      [](Operation &op) {
                        return isa<arith::MulFOp, arith::AddFOp>(op);
                      });
}

static bool isNarrow(linalg::LinalgOp product) {
  return isNarrowFloat(elementOf(product->getResult(0))) ||
         llvm::any_of(product.getRegionInputArgs(), [](BlockArgument input) {
           return wideningOf(input) != nullptr;
         });
}

namespace {
class WidenOperandsPass
    : public PassWrapper<WidenOperandsPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WidenOperandsPass)

  StringRef getArgument() const override { return "lh-widen-operands"; }
  StringRef getDescription() const override {
    return "Products of narrow numbers widen their operands beforehand";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }

private:
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> products;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (isMatrixProduct(op) && isNarrow(op))
        products.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp product : products) {
      rewriter.setInsertionPoint(product);
      auto generic = dyn_cast<linalg::GenericOp>(product.getOperation());
      if (!generic)
        generic = *linalg::generalizeNamedOp(rewriter, product);
      widenInputs(generic);
      if (isNarrowFloat(elementOf(generic.getResult(0))) && isPlainSum(generic))
        widenSums(generic);
    }
  }
};
} // namespace

void lh::registerWidenOperandsPass() { PassRegistration<WidenOperandsPass>(); }
