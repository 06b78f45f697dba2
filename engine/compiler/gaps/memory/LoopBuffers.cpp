// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells an iteration's own buffers from those that all iterations write into.
#include "compiler/gaps/Buffers.h"
#include "compiler/gaps/memory/IndependentLoops.h"
#include "compiler/gaps/memory/IterationRanges.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/MapVector.h"

using namespace lh;
using namespace mlir;

namespace {
/// All accesses to one buffer from outside of the loop.
struct Buffer {
  /// What it is known by in the loop; null where there are several views.
  Value base;
  IterationSlab slab;
  bool isWritten = false;
};

class BufferAccesses {
public:
  explicit BufferAccesses(scf::ForOp loop) : loop(loop), ranges(loop) {}

  /// Whether all that the loop does to memory is understood.
  bool collect() {
    return !loop.getBody()
                ->walk([&](Operation *op) {
                  return visit(op) ? WalkResult::advance()
                                   : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  const llvm::MapVector<Value, Buffer> &all() const { return buffers; }

private:
  bool visit(Operation *op);
  bool visitEffects(Operation *op);
  bool access(Value memref, const IterationSlab &slab, bool isWrite);
  void record(Value memref, const IterationSlab &slab, bool isWrite);

  scf::ForOp loop;
  IterationRanges ranges;
  llvm::MapVector<Value, Buffer> buffers;
};
} // namespace

/// What a value of a loop or of a condition may be, when it isn't a view.
static SmallVector<Value> choicesOf(Value value) {
  if (auto condition = value.getDefiningOp<scf::IfOp>()) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    return {condition.thenYield().getOperand(number),
            condition.elseYield().getOperand(number)};
  }
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    value = loop.getTiedLoopRegionIterArg(cast<OpResult>(value));
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || argument == loop.getInductionVar())
    return {};
  return {loop.getTiedLoopInit(argument)->get(),
          loop.getTiedLoopYieldedValue(argument)->get()};
}

bool BufferAccesses::access(Value memref, const IterationSlab &slab,
                            bool isWrite) {
  llvm::SmallPtrSet<Value, 8> seen;
  SmallVector<std::pair<Value, IterationSlab>> work{{memref, slab}};
  while (!work.empty()) {
    auto [view, elements] = work.pop_back_val();
    Operation *op = view.getDefiningOp();
    if (!loop->isAncestor(view.getParentRegion()->getParentOp())) {
      record(view, elements, isWrite);
    } else if (!seen.insert(view).second ||
               isa_and_present<memref::AllocOp, memref::AllocaOp>(op)) {
      continue;
    } else if (auto part = dyn_cast_if_present<memref::SubViewOp>(op)) {
      IterationSlab inside(part.getSourceType().getRank(), IterationRange());
      llvm::SmallBitVector dropped = part.getDroppedDims();
      for (unsigned dim = 0, next = 0; dim < inside.size(); ++dim)
        if (!dropped.test(dim))
          inside[dim] = elements[next++];
      work.push_back({part.getSource(), ranges.through(part, inside)});
    } else if (auto same = dyn_cast_if_present<memref::CastOp>(op)) {
      if (!isa<MemRefType>(same.getSource().getType()))
        return false;
      work.push_back({same.getSource(), elements});
    } else if (isa_and_present<memref::ExpandShapeOp, memref::CollapseShapeOp>(
                   op)) {
      auto source = cast<MemRefType>(op->getOperand(0).getType());
      work.push_back({op->getOperand(0), IterationSlab(source.getRank())});
    } else {
      SmallVector<Value> choices = choicesOf(view);
      if (choices.empty())
        return false;
      for (Value choice : llvm::reverse(choices))
        work.push_back({choice, elements});
    }
  }
  return true;
}

void BufferAccesses::record(Value memref, const IterationSlab &slab,
                            bool isWrite) {
  auto [place, isNew] =
      buffers.insert({bufferOf(memref), Buffer{memref, slab, isWrite}});
  if (isNew)
    return;
  Buffer &buffer = place->second;
  buffer.isWritten |= isWrite;
  if (buffer.base == memref)
    buffer.slab = joinSlabs(buffer.slab, slab);
  else
    buffer.base = Value();
}

/// An op that reads or writes all of some buffers.
bool BufferAccesses::visitEffects(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::all_of(effects, [&](MemoryEffects::EffectInstance &effect) {
    Value value = effect.getValue();
    auto type = value ? dyn_cast<MemRefType>(value.getType()) : MemRefType();
    if (!type)
      return false;
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      return true;
    bool isWrite = !isa<MemoryEffects::Read>(effect.getEffect());
    return access(value, IterationRanges::whole(type.getShape()), isWrite);
  });
}

bool BufferAccesses::visit(Operation *op) {
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
    return access(transfer.getBase(), ranges.slab(transfer),
                  isa<vector::TransferWriteOp>(op));
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return access(load.getMemRef(), ranges.slab(load.getIndices()), false);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return access(store.getMemRef(), ranges.slab(store.getIndices()), true);
  return isMemoryEffectFree(op) || visitEffects(op);
}

/// Whether nothing but the loop uses the buffer, and what frees it.
static bool isOwn(memref::AllocOp alloc, scf::ForOp loop) {
  return llvm::all_of(alloc->getUsers(), [&](Operation *user) {
    return loop->isProperAncestor(user) || isa<memref::DeallocOp>(user);
  });
}

FailureOr<SmallVector<memref::AllocOp>> lh::ownBuffersOf(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  BufferAccesses accesses(loop);
  if (!step || loop.getNumResults() || !accesses.collect())
    return failure();
  SmallVector<memref::AllocOp> own;
  for (auto &[root, buffer] : accesses.all()) {
    if (!buffer.isWritten || (buffer.base && areApart(buffer.slab, *step)))
      continue;
    auto alloc = root.getDefiningOp<memref::AllocOp>();
    if (!alloc || !isOwn(alloc, loop))
      return failure();
    own.push_back(alloc);
  }
  return own;
}
