// Selects between sizes, made opaque to MLIR's analysis of bounds: it compares
// both arms of each to look for a common bound, and both arms of those, so that
// a size behind n selects (ONNX's Reshape and Range compute such) takes 2^n
// steps, for every pair of slices that bufferization compares.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_HIDESELECTSPASS
#include "compiler/gaps/upstream-fixes/Passes.h.inc"
} // namespace lh

using namespace mlir;

/// The same on i64: the analysis looks at values of type index.
static void hide(arith::SelectOp select) {
  OpBuilder builder(select);
  Location loc = select.getLoc();
  auto wide = [&](Value value) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      value);
  };
  Value chosen = arith::SelectOp::create(builder, loc, select.getCondition(),
                                         wide(select.getTrueValue()),
                                         wide(select.getFalseValue()));
  select.replaceAllUsesWith(
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), chosen)
          .getResult());
  select.erase();
}

namespace {
struct HideSelectsPass : lh::impl::HideSelectsPassBase<HideSelectsPass> {
  void runOnOperation() override {
    SmallVector<arith::SelectOp> selects;
    getOperation()->walk([&](arith::SelectOp select) {
      if (select.getType().isIndex())
        selects.push_back(select);
    });
    for (arith::SelectOp select : selects)
      hide(select);
  }
};
} // namespace
