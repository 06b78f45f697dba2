// What a contraction adds to becomes an addition of its own, so that a schedule
// finds one form: products summed up from zero, elementwise ops after them.
#include "compiler/gaps/products/Convolution.h"
#include "compiler/gaps/TensorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_STARTATZEROPASS
#include "compiler/gaps/products/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

static bool startsAtFill(linalg::LinalgOp contraction) {
  Value start = contraction.getDpsInits()[0];
  return start.getDefiningOp<linalg::FillOp>() ||
         start.getDefiningOp<tensor::EmptyOp>();
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
  OpBuilder builder(contraction);
  TensorBuilder tensors(builder, contraction.getLoc());
  Value start = contraction.getDpsInits()[0];
  contraction.getDpsInitsMutable()[0].set(tensors.zerosLike(start));
  builder.setInsertionPointAfter(contraction);
  Value product = contraction->getResult(0);
  Value sum = tensors.add(start, product);
  product.replaceAllUsesExcept(sum, sum.getDefiningOp());
}

namespace {
struct StartAtZeroPass : lh::impl::StartAtZeroPassBase<StartAtZeroPass> {
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
