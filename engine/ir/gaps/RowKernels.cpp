// Kernels of loops over rows: a block for each row, whose threads share the
// ops on it.
#include "ir/gaps/KernelCode.h"
#include "ir/gaps/KernelLaunch.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace lh;
using namespace mlir;
using linalg::LinalgOp;

static constexpr int64_t bitsOfByte = 8;

/// Of a buffer whose size is known; an index has 64 bits.
static std::optional<int64_t> bytesOf(MemRefType type) {
  Type element = type.getElementType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return std::nullopt;
  if (element.isIndex())
    return type.getNumElements() * 8;
  if (!element.isIntOrFloat())
    return std::nullopt;
  return type.getNumElements() *
         llvm::divideCeil(element.getIntOrFloatBitWidth(), bitsOfByte);
}

/// Whether a value is known before the loop is entered.
static bool isOutside(Value value, scf::ForallOp loop) {
  return !loop->isAncestor(value.getParentRegion()->getParentOp());
}

static bool canEmit(Operation &op, scf::ForallOp loop);

static bool canEmitAll(Block &block, scf::ForallOp loop) {
  return llvm::all_of(block.without_terminator(),
                      [&](Operation &op) { return canEmit(op, loop); });
}

static bool canEmit(Operation &op, scf::ForallOp loop) {
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return alloc.getType().getElementType().isIntOrFloat() &&
           alloc.getType().getLayout().isIdentity() &&
           llvm::all_of(alloc.getDynamicSizes(),
                        [&](Value size) { return isOutside(size, loop); });
  if (auto inner = dyn_cast<scf::ForOp>(op))
    return inner.getNumResults() == 0 && canEmitAll(*inner.getBody(), loop);
  if (isa<LinalgOp, memref::DeallocOp, memref::CopyOp, memref::StoreOp,
          memref::LoadOp>(op))
    return true;
  return op.getNumRegions() == 0 && isMemoryEffectFree(&op);
}

bool lh::canShareRows(scf::ForallOp loop) {
  return !loop.getMapping().has_value() && loop.getNumResults() == 0 &&
         canEmitAll(*loop.getBody(), loop);
}

namespace {
class RowKernel {
public:
  RowKernel(IRRewriter &rewriter, scf::ForallOp loop, int64_t threads,
            int64_t sharedBytes)
      : rewriter(rewriter), loop(loop), mostThreads(threads),
        sharedLeft(sharedBytes) {}

  void emit();

private:
  int64_t threadsWanted();
  void emitBlock(OpBuilder &inside, Block &block);
  void emitOp(OpBuilder &inside, Operation &op);
  void emitLoop(OpBuilder &inside, scf::ForOp loop);
  void emitLinalg(OpBuilder &inside, LinalgOp op);
  void emitPoints(OpBuilder &inside, LinalgOp op, const KernelLoops &loops);
  void emitView(OpBuilder &inside, Operation &op);
  void place(OpBuilder &inside, memref::AllocOp alloc);
  Value ownMemory(OpBuilder &inside, memref::AllocOp alloc);

  IRRewriter &rewriter;
  scf::ForallOp loop;
  int64_t mostThreads, sharedLeft;
  OpFoldResult rows;
  KernelLaunch launch;
  IRMapping values;
};
} // namespace

/// As many as the longest op has use for.
int64_t RowKernel::threadsWanted() {
  std::optional<int64_t> wanted = 1;
  loop.walk([&](LinalgOp op) {
    int64_t points = 1;
    for (int64_t size : op.getStaticLoopRanges()) {
      if (ShapedType::isDynamic(size))
        wanted = std::nullopt;
      points *= size;
    }
    if (wanted)
      wanted = std::max(*wanted, points);
  });
  return threadsFor(wanted, mostThreads);
}

void RowKernel::emit() {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  AffineExpr lower, upper, step;
  bindSymbols(rewriter.getContext(), lower, upper, step);
  SmallVector<OpFoldResult> trips;
  for (auto [from, to, by] :
       llvm::zip(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                 loop.getMixedStep()))
    trips.push_back(affine::makeComposedFoldedAffineApply(
        rewriter, loc, (upper - lower).ceilDiv(step), {from, to, by}));
  rows = productOf(rewriter, loc, trips);
  launch = openLaunch(rewriter, loc, rows, threadsWanted());
  OpBuilder inside = launch.inside();
  SmallVector<Value> trip = placeOf(inside, loc, launch.block, trips);
  for (auto [index, at, from, by] :
       llvm::zip(loop.getInductionVars(), trip, loop.getMixedLowerBound(),
                 loop.getMixedStep()))
    values.map(index, getValueOrCreateConstantIndexOp(
                          inside, loc,
                          affine::makeComposedFoldedAffineApply(
                              inside, loc, lower + upper * step,
                              {from, OpFoldResult(at), by})));
  emitBlock(inside, *loop.getBody());
  rewriter.eraseOp(loop);
}

void RowKernel::emitBlock(OpBuilder &inside, Block &block) {
  for (Operation &op : block.without_terminator())
    emitOp(inside, op);
}

/// A barrier behind whatever writes: what follows reads it, or overwrites what
/// it read.
void RowKernel::emitOp(OpBuilder &inside, Operation &op) {
  Location loc = op.getLoc();
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return place(inside, alloc);
  if (isa<memref::DeallocOp>(op))
    return;
  if (auto inner = dyn_cast<scf::ForOp>(op))
    return emitLoop(inside, inner);
  if (isa<memref::StoreOp>(op)) {
    Value zero = arith::ConstantIndexOp::create(inside, loc, 0);
    Value isFirst = arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::eq,
                                          launch.thread, zero);
    scf::IfOp::create(inside, loc, isFirst, [&](OpBuilder &one, Location) {
      one.clone(op, values);
      scf::YieldOp::create(one, loc);
    });
  } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    emitLinalg(inside,
               linalg::makeMemRefCopyOp(
                   inside, loc, values.lookupOrDefault(copy.getSource()),
                   values.lookupOrDefault(copy.getTarget())));
  } else if (isa<LinalgOp>(op)) {
    emitLinalg(inside, cast<LinalgOp>(inside.clone(op, values)));
  } else {
    return emitView(inside, op);
  }
  if (op.getNextNode() != loop.getBody()->getTerminator())
    gpu::BarrierOp::create(inside, loc);
}

void RowKernel::emitLoop(OpBuilder &inside, scf::ForOp inner) {
  auto made = scf::ForOp::create(inside, inner.getLoc(),
                                 values.lookupOrDefault(inner.getLowerBound()),
                                 values.lookupOrDefault(inner.getUpperBound()),
                                 values.lookupOrDefault(inner.getStep()));
  values.map(inner.getInductionVar(), made.getInductionVar());
  OpBuilder within(made.getBody()->getTerminator());
  emitBlock(within, *inner.getBody());
}

/// Views of what is in shared memory are there too.
void RowKernel::emitView(OpBuilder &inside, Operation &op) {
  Operation *made = inside.clone(op, values);
  auto view = dyn_cast<ViewLikeOpInterface>(made);
  if (!view)
    return;
  auto source = dyn_cast<MemRefType>(view.getViewSource().getType());
  for (OpResult result : made->getResults())
    if (auto type = dyn_cast<MemRefType>(result.getType()); type && source)
      result.setType(MemRefType::get(type.getShape(), type.getElementType(),
                                     type.getLayout(),
                                     source.getMemorySpace()));
}

void RowKernel::emitLinalg(OpBuilder &inside, LinalgOp op) {
  inside.setInsertionPoint(op);
  KernelLoops loops = loopsOf(inside, op);
  Location loc = op.getLoc();
  bool isOnePoint = knownProduct(sizesOf(loops, loops.points)) == 1;
  if (isOnePoint && sharedSumOf(op)) {
    SmallVector<Value> point(loops.points.size(),
                             arith::ConstantIndexOp::create(inside, loc, 0));
    emitSharedPoint(inside, op, loops, point, launch.thread, launch.threads);
  } else {
    emitPoints(inside, op, loops);
  }
  inside.setInsertionPointAfter(op);
  op->erase();
}

/// Each thread every so many-th point.
void RowKernel::emitPoints(OpBuilder &inside, LinalgOp op,
                           const KernelLoops &loops) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = sizesOf(loops, loops.points);
  Value points = getValueOrCreateConstantIndexOp(inside, loc,
                                                 productOf(inside, loc, sizes));
  Value step = arith::ConstantIndexOp::create(inside, loc, launch.threads);
  scf::ForOp::create(inside, loc, launch.thread, points, step, ValueRange(),
                     [&](OpBuilder &within, Location, Value index, ValueRange) {
                       emitPoint(within, op, loops,
                                 placeOf(within, loc, index, sizes));
                       scf::YieldOp::create(within, loc);
                     });
}

void RowKernel::place(OpBuilder &inside, memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  std::optional<int64_t> bytes = bytesOf(type);
  if (!bytes || *bytes > sharedLeft) {
    values.map(alloc.getResult(), ownMemory(inside, alloc));
    return;
  }
  sharedLeft -= *bytes;
  auto space = gpu::AddressSpaceAttr::get(
      inside.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  values.map(alloc.getResult(),
             launch.op.addWorkgroupAttribution(
                 MemRefType::get(type.getShape(), type.getElementType(),
                                 type.getLayout(), space),
                 alloc.getLoc()));
}

/// A part of one allocation for all blocks.
Value RowKernel::ownMemory(OpBuilder &inside, memref::AllocOp alloc) {
  Location loc = alloc.getLoc();
  MemRefType type = alloc.getType();
  OpBuilder outside(launch.op);
  SmallVector<OpFoldResult> sizes = alloc.getMixedSizes();
  sizes.push_back(outside.getIndexAttr(llvm::divideCeil(
      type.getElementType().getIntOrFloatBitWidth(), bitsOfByte)));
  Value each = getValueOrCreateConstantIndexOp(outside, loc,
                                               productOf(outside, loc, sizes));
  OpFoldResult all = productOf(outside, loc, {OpFoldResult(each), rows});
  auto bytes = MemRefType::get({ShapedType::kDynamic}, outside.getI8Type());
  Value block = memref::AllocOp::create(
      outside, loc, bytes, getValueOrCreateConstantIndexOp(outside, loc, all),
      outside.getI64IntegerAttr(256));
  OpBuilder behind(launch.op->getContext());
  behind.setInsertionPointAfter(launch.op);
  memref::DeallocOp::create(behind, loc, block);
  Value shift = arith::MulIOp::create(inside, loc, launch.block, each);
  return memref::ViewOp::create(inside, loc, type, block, shift,
                                alloc.getDynamicSizes());
}

void lh::launchRows(IRRewriter &rewriter, scf::ForallOp loop, int64_t threads,
                    int64_t sharedBytes) {
  RowKernel(rewriter, loop, threads, sharedBytes).emit();
}
