// One allocation for a function's buffers, and one for each thread's.
#include "compiler/gaps/Buffers.h"
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/memory/MemoryLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

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
  memref::DeallocOp dealloc;
  BufferLife life;
};

/// What one thread runs: a function's body, or that of a parallel region.
struct Scope {
  Region *region = nullptr;
  SmallVector<Planned> buffers;
};
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

/// The one that frees it, in its own block; null when there is none such.
static memref::DeallocOp onlyDealloc(memref::AllocOp alloc) {
  memref::DeallocOp found;
  for (Operation *user : alloc->getUsers()) {
    auto dealloc = dyn_cast<memref::DeallocOp>(user);
    if (!dealloc)
      continue;
    if (found || dealloc->getBlock() != alloc->getBlock())
      return nullptr;
    found = dealloc;
  }
  return found;
}

/// Whether threads run this region side by side. (OpenMP's header is known by
/// its name alone: it takes long to compile.)
static bool isShared(Operation *op) {
  return isa<scf::ParallelOp>(op) ||
         op->getName().getStringRef() == "omp.parallel";
}

namespace {
/// Collects each scope's buffers. Moments are the places of operations in the
/// text: a loop is wholly after what stands before it.
class Scopes {
public:
  void collect(Region &region) {
    size_t own = scopes.size();
    scopes.push_back({&region, {}});
    visit(region, own);
  }
  MutableArrayRef<Scope> all() { return scopes; }

private:
  void visit(Region &region, size_t scope) {
    for (Block &block : region) {
      for (Operation &op : block) {
        moments[&op] = now++;
        for (Region &inner : op.getRegions())
          if (isShared(&op))
            collect(inner);
          else
            visit(inner, scope);
      }
      for (auto alloc : block.getOps<memref::AllocOp>())
        add(alloc, scopes[scope]);
    }
  }

  void add(memref::AllocOp alloc, Scope &scope) {
    std::optional<int64_t> bytes = plannableBytes(alloc);
    memref::DeallocOp dealloc = onlyDealloc(alloc);
    if (!bytes || !dealloc)
      return;
    unsigned end = moments.lookup(dealloc), begin = end;
    for (Operation *user : alloc->getUsers())
      if (Operation *here = alloc->getBlock()->findAncestorOpInBlock(*user))
        begin = std::min(begin, moments.lookup(here));
    int64_t alignment = std::max(
        leastAlignment, static_cast<int64_t>(alloc.getAlignment().value_or(1)));
    scope.buffers.push_back({alloc, dealloc, {*bytes, alignment, begin, end}});
  }

  std::vector<Scope> scopes;
  llvm::DenseMap<Operation *, unsigned> moments;
  unsigned now = 0;
};
} // namespace

/// The block, allocated where the scope begins and freed where it ends.
static memref::AllocOp allocateBlock(Scope &scope, const MemoryLayout &layout,
                                     int64_t alignment) {
  Block &body = scope.region->front();
  OpBuilder builder(&body, body.begin());
  Location loc = scope.region->getLoc();
  auto type = MemRefType::get({layout.bytes}, builder.getI8Type());
  auto block = memref::AllocOp::create(builder, loc, type,
                                       builder.getI64IntegerAttr(alignment));
  int64_t alone = 0;
  for (const Planned &buffer : scope.buffers)
    alone += buffer.life.bytes;
  // For who reads the module: how many buffers, and their bytes one by one.
  block->setAttr(buffersMark,
                 builder.getDenseI64ArrayAttr(
                     {static_cast<int64_t>(scope.buffers.size()), alone}));
  builder.setInsertionPoint(body.getTerminator());
  memref::DeallocOp::create(builder, loc, block);
  return block;
}

static void planScope(Scope &scope) {
  if (scope.buffers.empty() || !scope.region->hasOneBlock())
    return;
  SmallVector<BufferLife> lives;
  int64_t alignment = leastAlignment;
  for (const Planned &buffer : scope.buffers) {
    lives.push_back(buffer.life);
    alignment = std::max(alignment, buffer.life.alignment);
  }
  MemoryLayout layout = layOut(lives);
  memref::AllocOp block = allocateBlock(scope, layout, alignment);
  for (auto [buffer, offset] : llvm::zip(scope.buffers, layout.offsets)) {
    OpBuilder builder(buffer.alloc);
    Location loc = buffer.alloc.getLoc();
    Value place = arith::ConstantIndexOp::create(builder, loc, offset);
    Value view = memref::ViewOp::create(builder, loc, buffer.alloc.getType(),
                                        block, place, ValueRange());
    buffer.dealloc.erase();
    buffer.alloc.replaceAllUsesWith(view);
    buffer.alloc.erase();
  }
}

namespace {
struct PlanMemoryPass : lh::impl::PlanMemoryPassBase<PlanMemoryPass> {
  void runOnOperation() override {
    Region &body = getOperation().getFunctionBody();
    if (body.empty())
      return;
    Scopes scopes;
    scopes.collect(body);
    for (Scope &scope : scopes.all())
      planScope(scope);
  }
};
} // namespace
