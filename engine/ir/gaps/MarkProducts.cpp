// Finds the products that panels and register tiles are made for. A matcher of
// the transform dialect takes one form of body, and can't compare types.
#include "ir/gaps/Gaps.h"
#include "ir/gaps/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Pass/Pass.h"

using namespace lh;
using namespace mlir;

static Type elementOf(Value tensor) {
  return getElementTypeOrSelf(tensor.getType());
}

/// Others combine by `or` or multiply complex numbers.
static bool sumsUpNumbers(linalg::LinalgOp op) {
  return llvm::all_of(op.getBlock()->without_terminator(), [](Operation &in) {
    return isa<arith::AddFOp, arith::MulFOp, arith::AddIOp, arith::MulIOp>(in);
  });
}

static bool isWideProduct(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op) || op->getNumResults() != 1)
    return false;
  Type type = elementOf(op->getResult(0));
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 32 &&
         sumsUpNumbers(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return elementOf(operand) == type;
         });
}

/// Fewer columns would leave a panel mostly padding.
static constexpr int64_t fewestColumns = 8;

/// Nothing to be tiled, nor a matrix with hardly any columns. What is dynamic
/// is taken to be large.
static bool fillsPanels(linalg::LinalgOp op) {
  auto result = cast<ShapedType>(op->getResult(0).getType());
  auto atLeast = [](int64_t size, int64_t least) {
    return ShapedType::isDynamic(size) || size >= least;
  };
  return result.getRank() > 0 &&
         atLeast(result.getShape().back(), fewestColumns) &&
         llvm::all_of(op.getStaticLoopRanges(),
                      [&](int64_t range) { return atLeast(range, 1); });
}

namespace {
class MarkProductsPass : public PassWrapper<MarkProductsPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkProductsPass)

  StringRef getArgument() const override { return "lh-mark-products"; }
  StringRef getDescription() const override {
    return "Marks products of numbers of one wide type that fill a panel";
  }

private:
  void runOnOperation() override {
    getOperation()->walk([](linalg::LinalgOp op) {
      if (isWideProduct(op) && fillsPanels(op))
        op->setAttr(productMark, UnitAttr::get(op->getContext()));
    });
  }
};
} // namespace

void lh::registerMarkProductsPass() { PassRegistration<MarkProductsPass>(); }
