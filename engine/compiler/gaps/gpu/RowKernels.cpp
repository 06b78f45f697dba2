// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of loops over rows: a block for each row, whose threads share the
// ops on it.
#include "compiler/gaps/Buffers.h"
#include "compiler/gaps/gpu/KernelCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace lh;
using namespace mlir;
using linalg::LinalgOp;

/// Of what is allocated for all blocks.
static constexpr int64_t alignmentOfMemory = 256;

/// How many elements a buffer has at most, where that is known.
static std::optional<int64_t> mostElements(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t elements = 1;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    FailureOr<int64_t> size = ValueBoundsConstraintSet::computeConstantBound(
        presburger::BoundType::UB,
        ValueBoundsConstraintSet::Variable(buffer, i),
        /*stopCondition=*/nullptr, /*closedUB=*/true);
    if (failed(size))
      return std::nullopt;
    elements *= *size;
  }
  return elements;
}

/// Whether the sizes are known before the loop is entered.
static bool isSizedOutside(memref::AllocOp alloc, scf::ForallOp loop) {
  return llvm::all_of(alloc.getDynamicSizes(), [&](Value size) {
    return !loop->isAncestor(size.getParentRegion()->getParentOp());
  });
}

bool lh::canShareRows(scf::ForallOp loop) {
  auto canShare = [&](Operation *op) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return alloc.getType().getElementType().isIntOrFloat() &&
             alloc.getType().getLayout().isIdentity() &&
             (isSizedOutside(alloc, loop) || mostElements(alloc));
    if (auto inner = dyn_cast<scf::ForOp>(op))
      return inner.getNumResults() == 0;
    return isa<LinalgOp, memref::DeallocOp, memref::CopyOp, memref::StoreOp,
               memref::LoadOp, scf::InParallelOp>(op) ||
           (op->getNumRegions() == 0 && isMemoryEffectFree(op));
  };
  WalkResult walk =
      loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (!canShare(op))
          return WalkResult::interrupt();
        return isa<LinalgOp>(op) ? WalkResult::skip() : WalkResult::advance();
      });
  return !loop.getMapping() && loop.getNumResults() == 0 &&
         !walk.wasInterrupted();
}

namespace {
/// Makes the ops of a loop over rows those of a block of threads.
class RowKernel {
public:
  RowKernel(IRRewriter &rewriter, scf::ForallOp loop, OpFoldResult rows,
            KernelLaunch launch, int64_t sharedBytes)
      : rewriter(rewriter), loop(loop), rows(rows), launch(launch),
        sharedLeft(sharedBytes) {}

  void share(Operation *op);

private:
  void shareLinalg(LinalgOp op);
  Value sharedMemory(memref::AllocOp alloc, int64_t elements);
  Value ownMemory(memref::AllocOp alloc);

  IRRewriter &rewriter;
  scf::ForallOp loop;
  OpFoldResult rows;
  KernelLaunch launch;
  int64_t sharedLeft;
};
} // namespace

/// Whether a block's threads share the sum that it computes.
static bool isSharedSum(LinalgOp op) {
  return op.getNumReductionLoops() > 0 && canShareSum(op) &&
         mostElements(op.getDpsInits().front()) == 1;
}

/// Bytes that sums need beside what rows keep.
static int64_t bytesOfSums(scf::ForallOp loop, const KernelLaunch &launch) {
  llvm::SmallDenseSet<Type, 2> types;
  loop.walk([&](LinalgOp op) {
    if (isSharedSum(op))
      types.insert(getElementTypeOrSelf(op.getDpsInits().front()));
  });
  int64_t bytes = 0;
  for (Type type : types)
    bytes += launch.sharesOfSum() * (type.getIntOrFloatBitWidth() / 8);
  return bytes;
}

/// As many as the longest op has use for: a thread for each result, or for each
/// number of a single result's sum.
static std::optional<int64_t> threadsWanted(scf::ForallOp loop) {
  std::optional<int64_t> wanted = 1;
  loop.walk([&](LinalgOp op) {
    std::optional<int64_t> points = mostElements(op.getDpsInits().front());
    if (points == 1 && op.getNumReductionLoops() > 0)
      points = mostElements(op.getDpsInputOperand(0)->get());
    wanted = wanted && points
                 ? std::optional<int64_t>(std::max(*wanted, *points))
                 : std::nullopt;
  });
  return wanted;
}

/// Whether nothing comes after it in the kernel.
static bool isLast(Operation *op, scf::ForallOp loop) {
  Operation *next = op->getNextNode();
  while (isa<memref::DeallocOp>(next))
    next = next->getNextNode();
  return next == loop.getTerminator();
}

/// `buffer` in another memory, and views of it there too.
static void moveTo(Value buffer, Attribute space) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type)
    return;
  buffer.setType(MemRefType::Builder(type).setMemorySpace(space));
  for (Operation *user : buffer.getUsers())
    if (isa<ViewLikeOpInterface>(user))
      for (Value result : user->getResults())
        moveTo(result, space);
}

/// A barrier behind whatever writes: what follows reads it, or overwrites what
/// it read.
void RowKernel::share(Operation *op) {
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    // Shared memory, while it lasts.
    std::optional<int64_t> elements = mostElements(alloc);
    int64_t bytes = elements.value_or(0) * bytesPerElement(alloc.getType());
    bool isShared = elements && bytes <= sharedLeft;
    sharedLeft -= isShared ? bytes : 0;
    rewriter.setInsertionPoint(alloc);
    Value memory = isShared ? sharedMemory(alloc, *elements) : ownMemory(alloc);
    moveTo(alloc, cast<MemRefType>(memory.getType()).getMemorySpace());
    return rewriter.replaceOp(alloc, memory);
  }
  if (isa<memref::DeallocOp>(op))
    return rewriter.eraseOp(op);
  rewriter.setInsertionPointAfter(op);
  if (!isLast(op, loop))
    gpu::BarrierOp::create(rewriter, op->getLoc());
  rewriter.setInsertionPoint(op);
  if (!isa<memref::StoreOp>(op))
    return shareLinalg(linalgOf(rewriter, op));
  OpBuilder first = byFirst(rewriter, launch.thread, rewriter.getIndexAttr(1));
  op->moveBefore(first.getInsertionBlock(), first.getInsertionPoint());
}

void RowKernel::shareLinalg(LinalgOp op) {
  rewriter.setInsertionPoint(op);
  KernelLoops loops = loopsOf(rewriter, op);
  Location loc = op.getLoc();
  if (knownProduct(loops.pointSizes) == 1 && canShareSum(op)) {
    SmallVector<Value> point(loops.points.size(),
                             arith::ConstantIndexOp::create(rewriter, loc, 0));
    emitSharedPoint(rewriter, op, loops, point, launch);
  } else {
    forEach(rewriter, loc, launch, loops.pointSizes, {},
            [&](OpBuilder &within, ArrayRef<Value> point, ValueRange) {
              emitPoint(within, op, loops, point);
              return SmallVector<Value>();
            });
  }
  rewriter.eraseOp(op);
}

/// Of what isn't known, the first elements of the most that there can be.
Value RowKernel::sharedMemory(memref::AllocOp alloc, int64_t elements) {
  MemRefType type = alloc.getType();
  if (type.hasStaticShape())
    return launch.share(type.getShape(), type.getElementType());
  Value memory = launch.share(elements, type.getElementType());
  SmallVector<OpFoldResult> sizes = alloc.getMixedSizes();
  return memref::ReinterpretCastOp::create(
      rewriter, alloc.getLoc(),
      MemRefType::Builder(type).setMemorySpace(
          cast<MemRefType>(memory.getType()).getMemorySpace()),
      memory, rewriter.getIndexAttr(0), sizes,
      memref::computeStridesIRBlock(alloc.getLoc(), rewriter, sizes));
}

/// A part of one allocation for all blocks, before the launch.
Value RowKernel::ownMemory(memref::AllocOp alloc) {
  Location loc = alloc.getLoc();
  OpBuilder outside(launch.op);
  SmallVector<OpFoldResult> sizes{
      outside.getIndexAttr(bytesPerElement(alloc.getType()))};
  if (isSizedOutside(alloc, loop))
    llvm::append_range(sizes, alloc.getMixedSizes());
  else
    sizes.push_back(outside.getIndexAttr(*mostElements(alloc)));
  OpFoldResult each = productOf(outside, loc, sizes);
  Value all = getValueOrCreateConstantIndexOp(
      outside, loc, productOf(outside, loc, {each, rows}));
  Value block = memref::AllocOp::create(
      outside, loc,
      MemRefType::get({ShapedType::kDynamic}, outside.getI8Type()), all,
      outside.getI64IntegerAttr(alignmentOfMemory));
  outside.setInsertionPointAfter(launch.op);
  memref::DeallocOp::create(outside, loc, block);
  Value shift = arith::MulIOp::create(
      rewriter, loc, launch.block,
      getValueOrCreateConstantIndexOp(rewriter, loc, each));
  return memref::ViewOp::create(rewriter, loc, alloc.getType(), block, shift,
                                alloc.getDynamicSizes());
}

void lh::launchRows(IRRewriter &rewriter, scf::ForallOp loop,
                    const BlockLimits &limits) {
  // From zero, by ones.
  FailureOr<scf::ForallOp> counted = normalizeForallOp(rewriter, loop);
  assert(succeeded(counted) && "every loop can be counted");
  loop = *counted;
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  SmallVector<OpFoldResult> trips = loop.getMixedUpperBound();
  OpFoldResult rows = productOf(rewriter, loc, trips);
  KernelLaunch launch =
      openLaunch(rewriter, loc, rows, limits.threadsFor(threadsWanted(loop)),
                 limits.lanes);
  // Bounds of sizes are known as long as there is a loop.
  rewriter.moveOpBefore(loop, launch.op.getBody().back().getTerminator());
  SmallVector<Operation *> ops;
  loop.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<memref::AllocOp, memref::DeallocOp, memref::CopyOp, memref::StoreOp,
            LinalgOp>(op))
      ops.push_back(op);
    return isa<LinalgOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  RowKernel kernel(rewriter, loop, rows, launch,
                   limits.sharedBytes - bytesOfSums(loop, launch));
  for (Operation *op : ops)
    kernel.share(op);
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> place = placeOf(rewriter, loc, launch.block, trips);
  rewriter.eraseOp(loop.getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), loop, place);
  rewriter.eraseOp(loop);
}
