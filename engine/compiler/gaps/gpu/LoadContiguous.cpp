// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns gathers into loads of neighbours. linalg's vectorizer takes none on
// buffers, and only on buffers is it known which thread copies what.
#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_LOADCONTIGUOUSPASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

/// The one load of `gather`, if it yields what that reads.
static memref::LoadOp loadOf(linalg::GenericOp gather) {
  return gather.getBlock()
      ->getTerminator()
      ->getOperand(0)
      .getDefiningOp<memref::LoadOp>();
}

/// Loads what the body of `gather` loads at `place`, and its neighbours.
static Value loadAt(OpBuilder &builder, linalg::GenericOp gather,
                    ArrayRef<Value> place, VectorType type, int64_t bytes) {
  IRMapping values;
  memref::LoadOp load = loadOf(gather);
  for (Operation &op : gather.getBlock()->without_terminator()) {
    if (&op == load)
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      values.map(index.getResult(), place[index.getDim()]);
    else
      builder.clone(op, values);
  }
  SmallVector<Value> indices;
  for (Value index : load.getIndices())
    indices.push_back(values.lookupOrDefault(index));
  return vector::LoadOp::create(
      builder, gather.getLoc(), type, load.getMemRef(), indices,
      /*nontemporal=*/false, llvm::MaybeAlign(static_cast<uint64_t>(bytes)));
}

static LogicalResult loadContiguous(linalg::GenericOp gather) {
  auto mark = gather->getAttrOfType<IntegerAttr>(contiguousMark);
  auto output = dyn_cast<MemRefType>(gather.getOutputs()[0].getType());
  if (!mark || !output || !output.hasStaticShape() || output.getRank() != 2 ||
      output.getDimSize(1) % mark.getInt() != 0 || !loadOf(gather))
    return gather.emitError("a gather writes a matrix of whole runs, "
                            "'lh.contiguous' elements each, and yields what it "
                            "loads");
  int64_t run = mark.getInt();
  auto type = VectorType::get({run}, output.getElementType());
  int64_t bytes = run * output.getElementTypeBitWidth() / 8;
  OpBuilder builder(gather);
  Location loc = gather.getLoc();
  for (int64_t row = 0; row < output.getDimSize(0); ++row)
    for (int64_t column = 0; column < output.getDimSize(1); column += run) {
      SmallVector<Value> place = {
          arith::ConstantIndexOp::create(builder, loc, row),
          arith::ConstantIndexOp::create(builder, loc, column)};
      Value read = loadAt(builder, gather, place, type, bytes);
      vector::StoreOp::create(builder, loc, read, gather.getOutputs()[0], place,
                              /*nontemporal=*/false,
                              llvm::MaybeAlign(static_cast<uint64_t>(bytes)));
    }
  gather.erase();
  return success();
}

namespace {
struct LoadContiguousPass
    : lh::impl::LoadContiguousPassBase<LoadContiguousPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> gathers;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->hasAttr(gatherMark))
        gathers.push_back(op);
    });
    for (linalg::GenericOp gather : gathers)
      if (failed(loadContiguous(gather)))
        return signalPassFailure();
  }
};
} // namespace
