// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns gathers into loads of neighbours. linalg's vectorizer takes none on
// buffers, and only on buffers is it known which thread copies what.
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/gpu/KernelCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_LOADCONTIGUOUSPASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

/// Loads what the body of `gather` loads, and its neighbours.
static LogicalResult loadContiguous(linalg::GenericOp gather) {
  auto mark = gather->getAttrOfType<IntegerAttr>(contiguousMark);
  auto output = dyn_cast<MemRefType>(gather.getOutputs()[0].getType());
  if (!mark || !output || !output.hasStaticShape() || output.getRank() != 2 ||
      output.getDimSize(1) % mark.getInt() != 0 ||
      !gather.getBlock()
           ->getTerminator()
           ->getOperand(0)
           .getDefiningOp<memref::LoadOp>())
    return gather.emitError("a gather writes a matrix of whole runs, "
                            "'lh.contiguous' elements each, and yields what it "
                            "loads");
  int64_t run = mark.getInt();
  auto type = VectorType::get({run}, output.getElementType());
  llvm::MaybeAlign bytes(
      static_cast<uint64_t>(run * output.getElementTypeBitWidth() / 8));
  OpBuilder builder(gather);
  Location loc = gather.getLoc();
  for (SmallVector<int64_t> offsets :
       StaticTileOffsetRange(output.getShape(), {1, run})) {
    SmallVector<Value> place = llvm::map_to_vector(offsets, [&](int64_t at) {
      return arith::ConstantIndexOp::create(builder, loc, at).getResult();
    });
    auto load = emitBody(builder, gather, place)
                    .front()
                    .getDefiningOp<memref::LoadOp>();
    Value read = vector::LoadOp::create(builder, loc, type, load.getMemRef(),
                                        load.getIndices(),
                                        /*nontemporal=*/false, bytes);
    load.erase();
    vector::StoreOp::create(builder, loc, read, gather.getOutputs()[0], place,
                            /*nontemporal=*/false, bytes);
  }
  gather.erase();
  return success();
}

namespace {
struct LoadContiguousPass
    : lh::impl::LoadContiguousPassBase<LoadContiguousPass> {
  void runOnOperation() override {
    WalkResult walk = getOperation().walk([](linalg::GenericOp op) {
      return op->hasAttr(gatherMark) && failed(loadContiguous(op))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
