// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform.lh.fuse_into: producers computed slice by slice in a loop.
#include "compiler/transform/LeaveOut.h"
#include "compiler/transform/TransformOps.h"

#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace lh;
using namespace mlir;

/// The slices of `value` that are taken in `loop`.
static void collectSlices(Value value, Operation *loop,
                          SmallVectorImpl<tensor::ExtractSliceOp> &slices) {
  for (Operation *user : value.getUsers())
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
        slice && loop->isProperAncestor(slice))
      slices.push_back(slice);
}

/// ... or of a tensor that the loop carries and that begins as `value`.
static SmallVector<tensor::ExtractSliceOp> slicesOf(Value value,
                                                    LoopLikeOpInterface loop) {
  SmallVector<tensor::ExtractSliceOp> slices;
  collectSlices(value, loop, slices);
  for (OpOperand &init : loop.getInitsMutable())
    if (init.get() == value)
      collectSlices(loop.getTiedLoopRegionIterArg(&init), loop, slices);
  return slices;
}

/// What computes the slices of `producer`'s results in the loop.
static SmallVector<Operation *>
fuse(RewriterBase &rewriter, Operation *producer, LoopLikeOpInterface loop) {
  SmallVector<Operation *> fused;
  for (Value result : producer->getResults())
    for (tensor::ExtractSliceOp slice : slicesOf(result, loop)) {
      std::optional<scf::SCFFuseProducerOfSliceResult> tiled =
          scf::tileAndFuseProducerOfSlice(rewriter, slice, loop);
      if (!tiled)
        return {};
      fused.append(tiled->tiledOps);
      rewriter.eraseOp(slice);
    }
  return fused;
}

DiagnosedSilenceableFailure
FuseIntoOp::apply(transform::TransformRewriter &rewriter,
                  transform::TransformResults &results,
                  transform::TransformState &state) {
  auto loops = llvm::to_vector(state.getPayloadOps(getLoop()));
  auto loop = loops.size() == 1 ? dyn_cast<LoopLikeOpInterface>(loops.front())
                                : LoopLikeOpInterface();
  if (!loop)
    return emitDefiniteFailure()
           << "expects one loop to fuse into, got " << loops.size() << " ops";
  bool hasProducers = llvm::any_of(getProducers(), [&](Value handle) {
    return !state.getPayloadOps(handle).empty();
  });
  if (hasProducers && isLeftOut(*this)) {
    for (OpResult result : getOperation()->getResults())
      results.set(result, ArrayRef<Operation *>());
    return DiagnosedSilenceableFailure::success();
  }
  for (auto [handle, result] : llvm::zip_equal(getProducers(), getFused())) {
    SmallVector<Operation *> all;
    for (Operation *producer : llvm::to_vector(state.getPayloadOps(handle))) {
      SmallVector<Operation *> fused = fuse(rewriter, producer, loop);
      if (fused.empty()) {
        auto failure = emitSilenceableError()
                       << "the loop takes no slice of this op that can be "
                          "computed by itself";
        failure.attachNote(producer->getLoc()) << "the op";
        return failure;
      }
      all.append(fused);
      if (isOpTriviallyDead(producer))
        rewriter.eraseOp(producer);
    }
    results.set(cast<OpResult>(result), all);
  }
  return DiagnosedSilenceableFailure::success();
}

void FuseIntoOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle(getProducersMutable(), effects);
  transform::onlyReadsHandle(getLoopMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

LogicalResult FuseIntoOp::verify() {
  if (getProducers().size() != getFused().size())
    return emitOpError("expects a result for each handle of ops");
  return success();
}
