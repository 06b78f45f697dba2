// Products of narrow numbers become products of what they are summed up in: the
// operands are widened by elementwise ops of their own, which are vectorised
// and fused like any other, and done once for each element.
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/products/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_WIDENOPERANDSPASS
#include "compiler/gaps/products/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

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
  TensorBuilder tensors(builder, product.getLoc());
  for (OpOperand *operand : product.getDpsInputOperands()) {
    BlockArgument argument = product.getMatchingBlockArgument(operand);
    Operation *widening = wideningOf(argument);
    if (!widening)
      continue;
    Type type = widening->getResult(0).getType();
    operand->set(tensors.map(operand->get(), type,
                             [&](OpBuilder &b, Location, ValueRange values) {
                               IRMapping map;
                               map.map(argument, values[0]);
                               return b.clone(*widening, map)->getResult(0);
                             }));
    widening->getResult(0).replaceAllUsesWith(argument);
    widening->erase();
    argument.setType(type);
  }
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
struct WidenOperandsPass : lh::impl::WidenOperandsPassBase<WidenOperandsPass> {
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
        widenInputs(widenSums(generic));
    }
  }
};
} // namespace
