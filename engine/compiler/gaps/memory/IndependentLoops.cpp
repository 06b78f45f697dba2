// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over tensors whose iterations need nothing from each other: the place
// where that can be proved. On buffers it can't be told any more whether what
// an iteration reads was written by another one, but an iteration's own buffers
// from those that all iterations write into.
#include "compiler/gaps/memory/IndependentLoops.h"

#include "compiler/gaps/Buffers.h"
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/memory/IterationRanges.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace lh;
using namespace mlir;

namespace {
/// Follows a tensor that a loop carries, or a buffer, through one iteration:
/// everything that becomes of it there, and where that is read and written.
class Trace {
public:
  /// `position` is that of a carried tensor.
  Trace(scf::ForOp loop, IterationRanges &ranges, unsigned position = 0)
      : loop(loop), ranges(ranges), position(position) {}

  /// Whether all that becomes of `value` is understood.
  bool follow(Value value) {
    add(value);
    for (size_t i = 0; i < versions.size(); ++i) {
      auto [version, isPart] = versions[i];
      for (OpOperand &use : version.getUses())
        if (loop->isProperAncestor(use.getOwner()) && !follow(use, isPart))
          return false;
    }
    return true;
  }

  bool isWritten() const { return written; }

  /// Whether no iteration reads or writes what another one writes.
  bool isApart(int64_t step) const { return slab && areApart(*slab, step); }

  /// What is carried on must be this tensor, whatever way is taken.
  bool isHandedOn() {
    return isVersion(loop.getBody()->getTerminator(), position) &&
           llvm::all_of(versions, [&](auto version) {
             auto result = dyn_cast<OpResult>(version.first);
             return !result || isHandedOn(result);
           });
  }

private:
  /// `isPart` if what is done to the value was noted where it was taken.
  void add(Value version, bool isPart = false) {
    versions.insert({version, isPart});
  }

  bool follow(OpOperand &use, bool isPart);
  bool access(OpOperand &use, bool isPart);

  bool isVersion(Operation *op, unsigned operand) {
    return versions.contains({op->getOperand(operand), false});
  }

  bool isHandedOn(OpResult result) {
    unsigned number = result.getResultNumber();
    if (auto inner = dyn_cast<scf::ForOp>(result.getOwner()))
      if (!versions.contains({inner.getInitArgs()[number], false}))
        return false;
    return llvm::all_of(result.getOwner()->getRegions(), [&](Region &region) {
      return !region.empty() &&
             isVersion(region.front().getTerminator(), number);
    });
  }

  scf::ForOp loop;
  IterationRanges &ranges;
  unsigned position;
  llvm::SetVector<std::pair<Value, unsigned>> versions;
  std::optional<IterationSlab> slab;
  bool written = false;
};
} // namespace

bool Trace::follow(OpOperand &use, bool isPart) {
  Operation *user = use.getOwner();
  if (isa<ShapedDimOpInterface>(user))
    return true;
  if (auto inner = dyn_cast<scf::ForOp>(user)) {
    BlockArgument argument = inner.getTiedLoopRegionIterArg(&use);
    if (!argument)
      return false;
    add(argument, isPart);
    add(inner.getTiedLoopResult(&use), isPart);
    return true;
  }
  if (isa<scf::YieldOp>(user)) {
    Operation *parent = user->getParentOp();
    if (parent == loop)
      return use.getOperandNumber() == position;
    if (isa<scf::IfOp, scf::ForOp>(parent))
      add(parent->getResult(use.getOperandNumber()), isPart);
    return isa<scf::IfOp, scf::ForOp>(parent);
  }
  if (auto same = dyn_cast<memref::CastOp>(user)) {
    add(same.getResult(), isPart);
    return isa<MemRefType>(same.getType());
  }
  return access(use, isPart);
}

/// What is done to a part of a buffer is noted of all of it, where it is taken.
bool Trace::access(OpOperand &use, bool isPart) {
  Operation *user = use.getOwner();
  auto type = cast<ShapedType>(use.get().getType());
  IterationSlab elements(static_cast<size_t>(type.getRank()));
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(user))
    elements = ranges.slab(transfer);
  else if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp,
               memref::SubViewOp>(user))
    elements = ranges.slab(cast<OffsetSizeAndStrideOpInterface>(user));
  else if (auto load = dyn_cast<memref::LoadOp>(user))
    elements = ranges.slab(load.getIndices());
  else if (auto store = dyn_cast<memref::StoreOp>(user))
    elements = ranges.slab(store.getIndices());
  else if (isa<TensorType>(type))
    return false;
  if (isa<tensor::InsertSliceOp>(user) && use.getOperandNumber() == 0)
    return false;
  if (!isPart)
    slab = slab ? joinSlabs(*slab, elements) : elements;
  if (isa<tensor::ExtractSliceOp>(user))
    return true;
  bool isView = isa<ViewLikeOpInterface>(user) && isa<MemRefType>(type);
  written |= !isView && !hasSingleEffect<MemoryEffects::Read>(user, use.get());
  for (Value result : user->getResults())
    if (isa<TensorType, MemRefType>(result.getType()))
      add(result, isView);
  return true;
}

/// Whether the loop does nothing but to compute, on memory of its own or none.
static bool isPure(scf::ForOp loop) {
  auto goOnIfPure = [](Operation *op) {
    return op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                   isa<bufferization::AllocTensorOp>(op) ||
                   isMemoryEffectFree(op)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  };
  return !loop.walk(goOnIfPure).wasInterrupted();
}

/// Whether threads could run the iterations, in any order.
static bool isIndependent(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || *step < 1 || loop.getNumRegionIterArgs() == 0 || !isPure(loop))
    return false;
  IterationRanges ranges(loop);
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    BlockArgument carried = loop.getRegionIterArg(i);
    Trace trace(loop, ranges, i);
    if (!isa<TensorType>(carried.getType()) || !trace.follow(carried) ||
        !trace.isHandedOn() || !trace.isApart(*step))
      return false;
  }
  return true;
}

/// What an iteration keeps for itself it shall allocate: the same empty tensor
/// would be the same memory in loops that run side by side.
static void sinkEmptyTensors(scf::ForOp loop) {
  llvm::DenseMap<Operation *, Value> own;
  visitUsedValuesDefinedAbove(loop->getRegions(), [&](OpOperand *use) {
    auto empty = use->get().getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      return;
    Value &copy = own[empty];
    if (!copy)
      copy =
          OpBuilder::atBlockBegin(loop.getBody()).clone(*empty)->getResult(0);
    use->set(copy);
  });
}

void lh::markIndependentLoops(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (!isIndependent(loop))
      return;
    loop->setAttr(independentMark, UnitAttr::get(loop.getContext()));
    sinkEmptyTensors(loop);
  });
}

/// Whether all that an op in a loop does to memory is done to buffers that are
/// its own, or are followed into it.
static bool isUnderstood(Operation *op) {
  bool isView = isa<ViewLikeOpInterface, scf::IfOp, scf::ForOp, memref::AllocOp,
                    memref::AllocaOp>(op);
  if (!isView &&
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>))
    return false;
  if (isMemoryEffectFree(op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return true;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (interface)
    interface.getEffects(effects);
  return interface &&
         llvm::all_of(effects, [](MemoryEffects::EffectInstance &effect) {
           return effect.getValue() &&
                  isa<MemRefType>(effect.getValue().getType());
         });
}

/// Whether nothing but the loop uses the buffer, and what frees it.
static bool isOwn(memref::AllocOp alloc, scf::ForOp loop) {
  return llvm::all_of(alloc->getUsers(), [&](Operation *user) {
    return loop->isProperAncestor(user) || isa<memref::DeallocOp>(user);
  });
}

FailureOr<SmallVector<memref::AllocOp>> lh::ownBuffersOf(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  WalkResult walk = loop.getBody()->walk([](Operation *op) {
    return isUnderstood(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (!step || loop.getNumResults() || walk.wasInterrupted())
    return failure();
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(loop.getRegion(), captured);
  llvm::MapVector<Value, SmallVector<Value>> views;
  for (Value value : captured)
    if (isa<BaseMemRefType>(value.getType()))
      views[bufferOf(value)].push_back(value);
  IterationRanges ranges(loop);
  SmallVector<memref::AllocOp> own;
  for (auto &[buffer, seen] : views) {
    bool isWritten = false, isApart = seen.size() == 1;
    for (Value view : seen) {
      Trace trace(loop, ranges);
      if (!isa<MemRefType>(view.getType()) || !trace.follow(view))
        return failure();
      isWritten |= trace.isWritten();
      isApart &= trace.isApart(*step);
    }
    if (!isWritten || isApart)
      continue;
    auto alloc = buffer.getDefiningOp<memref::AllocOp>();
    if (!alloc || !isOwn(alloc, loop))
      return failure();
    own.push_back(alloc);
  }
  return own;
}
