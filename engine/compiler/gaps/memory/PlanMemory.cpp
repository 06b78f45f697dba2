// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One allocation for a function's buffers, and one for each thread's.
#include "compiler/gaps/Marks.h"
#include "core/support/MemoryLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/MapVector.h"

namespace lh {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "compiler/gaps/memory/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

/// A cache line; what vectors want, and what keeps two buffers off one line.
static constexpr int64_t leastAlignment = 64;

namespace {
/// A buffer of a known size that is freed in the block that allocates it.
struct Planned {
  memref::AllocOp alloc;
  Operation *dealloc;
  BufferLife life;
};

/// The buffers of each thread's code: a function's body, or that of a parallel
/// region.
using Scopes = llvm::MapVector<Region *, SmallVector<Planned>>;
} // namespace

/// None where an element's size in memory is for the lowering to say.
static std::optional<int64_t> plannableBytes(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  Type element = type.getElementType();
  if (!(element.isIndex() || element.isIntOrFloat()) ||
      !type.hasStaticShape() || !type.getLayout().isIdentity() ||
      type.getMemorySpace() || type.getNumElements() == 0)
    return std::nullopt;
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  bool isWhole = bits >= CHAR_BIT && bits <= 64 && llvm::isPowerOf2_32(bits);
  if (!isWhole && bits != 1)
    return std::nullopt;
  return type.getNumElements() * llvm::divideCeil(bits, CHAR_BIT);
}

/// Whether threads run this region side by side. (OpenMP's header is known by
/// its name alone: it takes long to compile.)
static bool isShared(Operation *op) {
  return isa<scf::ParallelOp>(op) ||
         op->getName().getStringRef() == "omp.parallel";
}

static Region *scopeOf(Operation *op) {
  while (!isa<FunctionOpInterface>(op->getParentOp()) &&
         !isShared(op->getParentOp()))
    op = op->getParentOp();
  return op->getParentRegion();
}

using Aliases = BufferViewFlowAnalysis::ValueSetT;

/// Whether what `user` makes of a buffer may be used where no alias shows it:
/// an address as a number, work that is waited for by a token.
static bool outlivesItsOp(Operation *user, const Aliases &aliases) {
  return llvm::any_of(user->getResults(), [&](Value result) {
    return !isa<IntegerType, FloatType, ComplexType, VectorType>(
               result.getType()) &&
           !aliases.contains(result);
  });
}

/// The first and the last op of the allocation's block that uses the buffer
/// or what is made of it. Up to `dealloc` where not all uses are known.
static std::pair<Operation *, Operation *>
usesIn(memref::AllocOp alloc, Operation *dealloc,
       const BufferViewFlowAnalysis &aliases) {
  Block *block = alloc->getBlock();
  Operation *first = dealloc, *last = alloc;
  Aliases names = aliases.resolve(alloc);
  for (Value alias : names) {
    for (Operation *user : alias.getUsers()) {
      Operation *here = block->findAncestorOpInBlock(*user);
      if (!here || user == dealloc)
        continue;
      if (here->isBeforeInBlock(first))
        first = here;
      if (here->hasTrait<OpTrait::IsTerminator>() || outlivesItsOp(user, names))
        last = dealloc;
      else if (last->isBeforeInBlock(here))
        last = here;
    }
  }
  return {first, last};
}

/// Moments are the places of operations in the text: a loop is wholly after
/// what stands before it.
static Scopes scopesIn(Operation *function) {
  llvm::DenseMap<Operation *, unsigned> moments;
  SmallVector<memref::AllocOp> allocs;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    moments.try_emplace(op, moments.size());
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      allocs.push_back(alloc);
  });
  BufferViewFlowAnalysis aliases(function);
  Scopes scopes;
  for (memref::AllocOp alloc : allocs) {
    std::optional<int64_t> bytes = plannableBytes(alloc);
    Operation *dealloc = memref::findDealloc(alloc).value_or(nullptr);
    if (!bytes || !dealloc || dealloc->getBlock() != alloc->getBlock())
      continue;
    auto [first, last] = usesIn(alloc, dealloc, aliases);
    // Whatever stands inside the last user is before the op behind it.
    unsigned end = last == dealloc ? moments.lookup(dealloc)
                                   : moments.lookup(last->getNextNode()) - 1;
    scopes[scopeOf(alloc)].push_back(
        {alloc, dealloc, {*bytes, moments.lookup(first), end}});
  }
  return scopes;
}

/// The block, allocated where the scope begins and freed where it ends.
static memref::AllocOp allocateBlock(Region &scope, ArrayRef<Planned> buffers,
                                     int64_t bytes, int64_t alignment) {
  OpBuilder builder(scope);
  auto type = MemRefType::get({bytes}, builder.getI8Type());
  auto block = memref::AllocOp::create(builder, scope.getLoc(), type,
                                       builder.getI64IntegerAttr(alignment));
  int64_t alone = 0;
  for (const Planned &buffer : buffers)
    alone += buffer.life.bytes;
  // For who reads the module: how many buffers, and their bytes one by one.
  block->setAttr(buffersMark,
                 builder.getDenseI64ArrayAttr(
                     {static_cast<int64_t>(buffers.size()), alone}));
  builder.setInsertionPoint(scope.front().getTerminator());
  memref::DeallocOp::create(builder, scope.getLoc(), block);
  return block;
}

static void planScope(Region &scope, ArrayRef<Planned> buffers) {
  int64_t alignment = leastAlignment;
  SmallVector<BufferLife> lives;
  for (const Planned &buffer : buffers) {
    memref::AllocOp alloc = buffer.alloc;
    alignment = std::max(
        alignment, static_cast<int64_t>(alloc.getAlignment().value_or(1)));
    lives.push_back(buffer.life);
  }
  MemoryLayout layout = layOut(lives, alignment);
  auto block = allocateBlock(scope, buffers, layout.bytes, alignment);
  for (auto [buffer, offset] : llvm::zip(buffers, layout.offsets)) {
    memref::AllocOp alloc = buffer.alloc;
    OpBuilder builder(alloc);
    Value place =
        arith::ConstantIndexOp::create(builder, alloc.getLoc(), offset);
    Value view = memref::ViewOp::create(
        builder, alloc.getLoc(), alloc.getType(), block, place, ValueRange());
    buffer.dealloc->erase();
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }
}

namespace {
struct PlanMemoryPass : lh::impl::PlanMemoryPassBase<PlanMemoryPass> {
  void runOnOperation() override {
    for (auto &[scope, buffers] : scopesIn(getOperation()))
      if (scope->hasOneBlock())
        planScope(*scope, buffers);
  }
};
} // namespace
