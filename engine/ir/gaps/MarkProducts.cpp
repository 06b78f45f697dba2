// Finds the products that panels and register tiles are made for. A matcher of
// the transform dialect takes one form of body, and can't compare types.
#include "ir/gaps/Gaps.h"
#include "ir/gaps/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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

/// Whether a tensor is computed from weights and constants alone, so that it is
/// packed once.
static bool comesFromWeights(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function &&
           function.getArgAttr(argument.getArgNumber(), "lh.weight");
  }
  return llvm::all_of(value.getDefiningOp()->getOperands(), comesFromWeights);
}

/// So few rows that each number of a matrix takes part in few products.
static constexpr int64_t mostThinRows = 4;

/// C[m, n] += A[m, k] B[k, n] of few rows, where packing B doesn't pay.
static bool isThin(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (ranges.size() != 3 || ShapedType::isDynamicShape(ranges) ||
      ranges[0] > mostThinRows || ranges[1] < 64 || ranges[2] < 16 ||
      !isa<FloatType>(elementOf(op->getResult(0))))
    return false;
  auto map = [&](ArrayRef<unsigned> loops) {
    return AffineMap::getMultiDimMapWithTargets(3, loops, op.getContext());
  };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return maps[0] == map({0, 2}) && maps[1] == map({2, 1}) &&
         maps[2] == map({0, 1}) && !comesFromWeights(op->getOperand(1));
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
        op->setAttr(isThin(op) ? thinMark : productMark,
                    UnitAttr::get(op->getContext()));
    });
  }
};
} // namespace

void lh::registerMarkProductsPass() { PassRegistration<MarkProductsPass>(); }
