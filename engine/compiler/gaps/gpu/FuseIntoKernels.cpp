// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes into the kernel of a product what comes before and after it: zeros that
// it starts from, and the elementwise op that alone reads its result, with the
// cutting off of what was padded. Tiling can't do it: which thread has which
// element of a result is known once matrix instructions were chosen.
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/gpu/KernelCode.h"
#include "compiler/gaps/gpu/KernelResult.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace lh;
using namespace mlir;

/// A write of elements side by side straight into a buffer.
static bool isPlainStore(Operation *op) {
  if (isa<memref::StoreOp>(op))
    return true;
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return store.getVectorType().getRank() == 1;
  auto write = dyn_cast<vector::TransferWriteOp>(op);
  return write && write.getVectorType().getRank() == 1 && !write.getMask() &&
         !write.hasOutOfBoundsDim() &&
         write.getPermutationMap().isMinorIdentity();
}

static bool isPlainLoad(Operation *op) {
  auto read = dyn_cast<vector::TransferReadOp>(op);
  return isa<memref::LoadOp, vector::LoadOp>(op) ||
         (read && !read.getMask() && !read.hasOutOfBoundsDim());
}

/// The accesses of `buffer` in `launch`, all of them plain, and none by a view.
static std::optional<SmallVector<Operation *>>
plainAccesses(gpu::LaunchOp launch, Value buffer) {
  SmallVector<Operation *> accesses;
  for (Operation *access : accessesOf(buffer)) {
    if (!launch->isProperAncestor(access))
      continue;
    if (!llvm::is_contained(access->getOperands(), buffer) ||
        !(isPlainStore(access) || isPlainLoad(access)))
      return std::nullopt;
    accesses.push_back(access);
  }
  return accesses;
}

/// Whether `first` is over in each thread before `second` begins, with no loop
/// around both.
static bool isOverBefore(Operation *first, Operation *second,
                         gpu::LaunchOp launch) {
  for (Operation *at = first; at != launch; at = at->getParentOp())
    if (Operation *other = at->getBlock()->findAncestorOpInBlock(*second)) {
      auto around = at->getParentOfType<LoopLikeOpInterface>();
      return at != other && at->isBeforeInBlock(other) &&
             !(around && launch->isProperAncestor(around));
    }
  return false;
}

/// The fill with a constant that is all that was done to `buffer` before `op`,
/// in its block.
static linalg::FillOp onlyFillBefore(Operation *op, Value buffer) {
  linalg::FillOp only;
  for (Operation *access : accessesOf(buffer)) {
    Operation *there = op->getBlock()->findAncestorOpInBlock(*access);
    if (!there && !isa<memref::DeallocOp>(access))
      return nullptr;
    if (!there || there == op || op->isBeforeInBlock(there))
      continue;
    auto fill = dyn_cast<linalg::FillOp>(access);
    if (!fill || there != access || only || fill.output() != buffer ||
        !fill.value().getDefiningOp<arith::ConstantOp>())
      return nullptr;
    only = fill;
  }
  return only;
}

/// Products of one form start from the same zeros, until bufferization copies
/// them: each has its own again.
static void fillInsteadOfCopy(linalg::CopyOp copy) {
  Value source = copy.getInputs()[0];
  if (!source.getDefiningOp<memref::AllocOp>())
    return;
  linalg::FillOp fill = onlyFillBefore(copy, source);
  if (!fill)
    return;
  OpBuilder builder(copy);
  linalg::FillOp::create(builder, copy.getLoc(), fill.value(),
                         copy.getOutputs()[0]);
  copy.erase();
}

/// What is read of `buffer` is what it was filled with, where all is read
/// before anything is written; the fill goes, since the launch writes it all.
static void startFromConstant(gpu::LaunchOp launch, Value buffer,
                              ArrayRef<Operation *> accesses) {
  linalg::FillOp fill = onlyFillBefore(launch, buffer);
  if (!fill)
    return;
  SmallVector<Operation *> loads, stores;
  for (Operation *access : accesses)
    (isPlainLoad(access) ? loads : stores).push_back(access);
  for (Operation *load : loads)
    for (Operation *store : stores)
      if (!isOverBefore(load, store, launch))
        return;
  Attribute value = fill.value().getDefiningOp<arith::ConstantOp>().getValue();
  for (Operation *load : loads) {
    OpBuilder builder(load);
    TypedAttr all = cast<TypedAttr>(value);
    if (auto vector = dyn_cast<VectorType>(load->getResult(0).getType()))
      all = DenseElementsAttr::get(vector, value);
    load->getResult(0).replaceAllUsesWith(
        arith::ConstantOp::create(builder, load->getLoc(), all));
    load->erase();
  }
  fill.erase();
}

/// The buffers that operations in `launch` get to see from outside, in whatever
/// form: a descriptor is a view too.
static SmallPtrSet<Value, 8> buffersSeen(gpu::LaunchOp launch) {
  SmallPtrSet<Value, 8> buffers;
  visitUsedValuesDefinedAbove(launch.getBody(), launch.getBody(),
                              [&](OpOperand *use) {
                                Value buffer = bufferOf(use->get());
                                if (isa<MemRefType>(buffer.getType()))
                                  buffers.insert(buffer);
                              });
  return buffers;
}

/// Whether `launch` may run as late as right before `later`: nothing between
/// them touches what it sees but deallocations, which move along.
static bool canSink(gpu::LaunchOp launch, Operation *later,
                    SmallVector<Operation *> &freed) {
  SmallPtrSet<Value, 8> seen = buffersSeen(launch);
  for (Operation *op = launch->getNextNode(); op != later;
       op = op->getNextNode()) {
    bool touches = false;
    op->walk([&](Operation *inner) {
      if (!isa<ViewLikeOpInterface>(inner))
        for (Value operand : inner->getOperands())
          touches |= seen.contains(bufferOf(operand));
    });
    if (touches && isa<memref::DeallocOp>(op))
      freed.push_back(op);
    else if (touches)
      return false;
  }
  return true;
}

/// Moves what follows `launch` elementwise into it; false when there is none
/// such, or it can't be moved.
static bool fuseEpilogue(gpu::LaunchOp launch, Value result,
                         ArrayRef<Operation *> accesses) {
  std::optional<Epilogue> epilogue = epilogueOf(launch, result);
  if (!epilogue || !llvm::all_of(accesses, isPlainStore))
    return false;
  // It may write to nothing else that the launch reads.
  Value output = bufferOf(epilogue->op.getDpsInits()[0]);
  if (output == result || buffersSeen(launch).contains(output))
    return false;
  SmallVector<Operation *> freed;
  if (!canSink(launch, epilogue->op, freed))
    return false;
  launch->moveBefore(epilogue->op);
  for (Operation *free : freed)
    free->moveAfter(epilogue->op);
  for (Operation *store : accesses) {
    ImplicitLocOpBuilder b(store->getLoc(), store);
    Value stored = store->getOperand(0);
    SmallVector<Value> values = {stored};
    if (isa<VectorType>(stored.getType()))
      values = llvm::to_vector_of<Value>(
          vector::ToElementsOp::create(b, stored).getResults());
    storeThrough(b, *epilogue, values,
                 llvm::to_vector(store->getOperands().drop_front(2)));
    store->erase();
  }
  epilogue->op->erase();
  // Nothing reads it any more.
  for (Operation *access : accessesOf(result))
    access->erase();
  return true;
}

/// The buffers that `launch` writes to.
static SetVector<Value> writtenBuffers(gpu::LaunchOp launch) {
  SetVector<Value> buffers;
  launch.walk([&](Operation *op) {
    if (!isPlainStore(op))
      return;
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<MemRefType>(operand.getType()))
        if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
          buffers.insert(bufferOf(operand));
  });
  return buffers;
}

/// Whether anything could be moved into `launch` from behind.
static bool fuseNext(gpu::LaunchOp launch) {
  return llvm::any_of(writtenBuffers(launch), [&](Value buffer) {
    auto accesses = plainAccesses(launch, buffer);
    if (!accesses)
      return false;
    startFromConstant(launch, buffer, *accesses);
    return buffer.getDefiningOp<memref::AllocOp>() &&
           fuseEpilogue(launch, buffer, *plainAccesses(launch, buffer));
  });
}

/// A kernel that asks for each element whether it is inside needs its registers
/// for that: ptxas would rather spill some than let another block have them.
static void forgetResidentBlocks(gpu::LaunchOp launch) {
  bool asks = launch->walk([](scf::IfOp) { return WalkResult::interrupt(); })
                  .wasInterrupted();
  if (asks)
    launch->walk([](Operation *op) { op->removeAttr(residentBlocksMark); });
}

void lh::fuseIntoKernels(Operation *function) {
  function->walk(fillInsteadOfCopy);
  SmallVector<gpu::LaunchOp> launches;
  function->walk([&](gpu::LaunchOp launch) {
    if (launch->hasAttr(productLaunchMark))
      launches.push_back(launch);
  });
  for (gpu::LaunchOp launch : launches) {
    while (fuseNext(launch)) {
    }
    forgetResidentBlocks(launch);
  }
}
