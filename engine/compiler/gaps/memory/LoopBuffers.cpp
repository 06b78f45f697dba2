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
  bool access(Value memref, const IterationSlab &slab, bool isWrite,
              llvm::SmallPtrSetImpl<Value> &seen);
  void record(Value memref, const IterationSlab &slab, bool isWrite);

  /// The elements of a view's source, from those of the view.
  IterationSlab throughView(memref::SubViewOp view, const IterationSlab &slab);

  scf::ForOp loop;
  IterationRanges ranges;
  llvm::MapVector<Value, Buffer> buffers;
};
} // namespace

IterationSlab BufferAccesses::throughView(memref::SubViewOp view,
                                          const IterationSlab &slab) {
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets(),
                            strides = view.getMixedStrides();
  llvm::SmallBitVector dropped = view.getDroppedDims();
  IterationSlab source;
  size_t next = 0;
  for (unsigned dim = 0; dim < offsets.size(); ++dim) {
    std::optional<IterationRange> from = ranges.of(offsets[dim]);
    if (dropped.test(dim)) {
      source.push_back(from);
      continue;
    }
    std::optional<IterationRange> inside = slab[next++];
    std::optional<int64_t> stride = getConstantIntValue(strides[dim]);
    if (!from || !inside || !stride || *stride < 1)
      source.push_back(std::nullopt);
    else
      source.push_back(IterationRange{from->factor + *stride * inside->factor,
                                      from->low + *stride * inside->low,
                                      from->high + *stride * inside->high});
  }
  return source;
}

/// What a value of a loop or of a condition may be, when it isn't a view.
static SmallVector<Value> choicesOf(Value value) {
  auto yielded = [](Region &region, unsigned number) {
    return region.front().getTerminator()->getOperand(number);
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return {};
    unsigned number = argument.getArgNumber() - 1;
    return {loop.getInitArgs()[number], yielded(loop.getRegion(), number)};
  }
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return {loop.getInitArgs()[number], yielded(loop.getRegion(), number)};
  if (auto condition = value.getDefiningOp<scf::IfOp>())
    return {yielded(condition.getThenRegion(), number),
            yielded(condition.getElseRegion(), number)};
  return {};
}

bool BufferAccesses::access(Value memref, const IterationSlab &slab,
                            bool isWrite) {
  llvm::SmallPtrSet<Value, 8> seen;
  return access(memref, slab, isWrite, seen);
}

bool BufferAccesses::access(Value memref, const IterationSlab &slab,
                            bool isWrite, llvm::SmallPtrSetImpl<Value> &seen) {
  if (!loop->isAncestor(memref.getParentRegion()->getParentOp())) {
    record(memref, slab, isWrite);
    return true;
  }
  if (!seen.insert(memref).second)
    return true;
  Operation *op = memref.getDefiningOp();
  if (isa_and_present<memref::AllocOp, memref::AllocaOp>(op))
    return true;
  if (auto view = dyn_cast_if_present<memref::SubViewOp>(op))
    return access(view.getSource(), throughView(view, slab), isWrite, seen);
  if (auto cast = dyn_cast_if_present<memref::CastOp>(op))
    if (auto source = dyn_cast<MemRefType>(cast.getSource().getType()))
      return access(cast.getSource(), slab, isWrite, seen);
  if (isa_and_present<memref::ExpandShapeOp, memref::CollapseShapeOp>(op)) {
    Value source = op->getOperand(0);
    IterationSlab unknown(cast<MemRefType>(source.getType()).getRank());
    return access(source, unknown, isWrite, seen);
  }
  SmallVector<Value> choices = choicesOf(memref);
  return !choices.empty() && llvm::all_of(choices, [&](Value choice) {
    return access(choice, slab, isWrite, seen);
  });
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
