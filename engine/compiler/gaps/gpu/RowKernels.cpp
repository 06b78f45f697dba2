// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of loops over rows: a block for each row, whose threads share the
// ops on it.
#include "compiler/gaps/Buffers.h"
#include "compiler/gaps/gpu/KernelCode.h"
#include "compiler/gaps/gpu/KernelLaunch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
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
    FailureOr<int64_t> size = type.getDimSize(static_cast<unsigned>(i));
    if (ShapedType::isDynamic(*size))
      size = ValueBoundsConstraintSet::computeConstantBound(
          presburger::BoundType::UB,
          ValueBoundsConstraintSet::Variable(buffer, i),
          /*stopCondition=*/nullptr, /*closedUB=*/true);
    if (failed(size))
      return std::nullopt;
    elements *= *size;
  }
  return elements;
}

/// Whether a value is known before the loop is entered.
static bool isOutside(Value value, scf::ForallOp loop) {
  return !loop->isAncestor(value.getParentRegion()->getParentOp());
}

static bool isSizedOutside(memref::AllocOp alloc, scf::ForallOp loop) {
  return llvm::all_of(alloc.getDynamicSizes(),
                      [&](Value size) { return isOutside(size, loop); });
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
           (isSizedOutside(alloc, loop) || mostElements(alloc));
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
  void emitView(OpBuilder &inside, Operation &op);
  void place(OpBuilder &inside, memref::AllocOp alloc);
  Value viewAs(OpBuilder &inside, memref::AllocOp alloc, Value memory,
               Attribute space);
  Value bytesOfEach(OpBuilder &outside, memref::AllocOp alloc);
  Value ownMemory(OpBuilder &inside, memref::AllocOp alloc);

  IRRewriter &rewriter;
  scf::ForallOp loop;
  int64_t mostThreads, sharedLeft;
  OpFoldResult rows;
  KernelLaunch launch;
  IRMapping values;
};
} // namespace

/// As many as the longest op has use for: a thread for each result, or for each
/// number of a single result's sum.
int64_t RowKernel::threadsWanted() {
  std::optional<int64_t> wanted = 1;
  loop.walk([&](LinalgOp op) {
    std::optional<int64_t> points = mostElements(op.getDpsInits().front());
    if (points == 1 && op.getNumReductionLoops() > 0)
      points = mostElements(op.getDpsInputOperand(0)->get());
    wanted = wanted && points
                 ? std::optional<int64_t>(std::max(*wanted, *points))
                 : std::nullopt;
  });
  return threadsFor(wanted, mostThreads);
}

void RowKernel::emit() {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  SmallVector<OpFoldResult> trips = loop.getMixedUpperBound();
  rows = productOf(rewriter, loc, trips);
  launch = openLaunch(rewriter, loc, rows, threadsWanted());
  OpBuilder inside = launch.inside();
  values.map(loop.getInductionVars(),
             placeOf(inside, loc, launch.block, trips));
  emitBlock(inside, *loop.getBody());
  rewriter.eraseOp(loop);
}

void RowKernel::emitBlock(OpBuilder &inside, Block &block) {
  for (Operation &op : block.without_terminator())
    emitOp(inside, op);
}

/// Whether nothing comes after it in the kernel.
static bool isLast(Operation &op, scf::ForallOp loop) {
  Operation *next = op.getNextNode();
  while (isa<memref::DeallocOp>(next))
    next = next->getNextNode();
  return next == loop.getBody()->getTerminator();
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
    byFirst(inside, launch.thread).clone(op, values);
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
  if (!isLast(op, loop))
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
  if (isOnePoint && canShareSum(op)) {
    SmallVector<Value> point(loops.points.size(),
                             arith::ConstantIndexOp::create(inside, loc, 0));
    emitSharedPoint(inside, op, loops, point, launch);
  } else {
    forEach(inside, loc, launch, sizesOf(loops, loops.points), {},
            [&](OpBuilder &within, ArrayRef<Value> point, ValueRange) {
              emitPoint(within, op, loops, point);
              return SmallVector<Value>();
            });
  }
  inside.setInsertionPointAfter(op);
  op->erase();
}

/// Shared memory, while it lasts.
void RowKernel::place(OpBuilder &inside, memref::AllocOp alloc) {
  Location loc = alloc.getLoc();
  MemRefType type = alloc.getType();
  std::optional<int64_t> elements = mostElements(alloc);
  if (!elements || *elements * bytesPerElement(type) > sharedLeft) {
    values.map(alloc.getResult(), ownMemory(inside, alloc));
    return;
  }
  sharedLeft -= *elements * bytesPerElement(type);
  auto space = gpu::AddressSpaceAttr::get(
      inside.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  bool isKnown = type.hasStaticShape();
  Value shared = launch.op.addWorkgroupAttribution(
      MemRefType::get(isKnown ? type.getShape() : ArrayRef(*elements),
                      type.getElementType(), MemRefLayoutAttrInterface(),
                      space),
      loc);
  if (!isKnown)
    shared = viewAs(inside, alloc, shared, space);
  values.map(alloc.getResult(), shared);
}

/// The first elements of `memory`, in the shape of what `alloc` allocates.
Value RowKernel::viewAs(OpBuilder &inside, memref::AllocOp alloc, Value memory,
                        Attribute space) {
  MemRefType type = alloc.getType();
  SmallVector<OpFoldResult> sizes, strides;
  for (OpFoldResult size : alloc.getMixedSizes())
    sizes.push_back(isa<Value>(size) ? OpFoldResult(values.lookupOrDefault(
                                           cast<Value>(size)))
                                     : size);
  for (size_t i = 0; i < sizes.size(); ++i)
    strides.push_back(
        productOf(inside, alloc.getLoc(), ArrayRef(sizes).drop_front(i + 1)));
  return memref::ReinterpretCastOp::create(
      inside, alloc.getLoc(),
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(), space),
      memory, OpFoldResult(inside.getIndexAttr(0)), sizes, strides);
}

/// Bytes of what each block allocates, before the launch.
Value RowKernel::bytesOfEach(OpBuilder &outside, memref::AllocOp alloc) {
  int64_t bytes = bytesPerElement(alloc.getType());
  SmallVector<OpFoldResult> sizes{outside.getIndexAttr(bytes)};
  if (isSizedOutside(alloc, loop))
    llvm::append_range(sizes, alloc.getMixedSizes());
  else
    sizes.push_back(outside.getIndexAttr(*mostElements(alloc)));
  return getValueOrCreateConstantIndexOp(
      outside, alloc.getLoc(), productOf(outside, alloc.getLoc(), sizes));
}

/// A part of one allocation for all blocks.
Value RowKernel::ownMemory(OpBuilder &inside, memref::AllocOp alloc) {
  Location loc = alloc.getLoc();
  OpBuilder outside(launch.op);
  Value each = bytesOfEach(outside, alloc);
  OpFoldResult all = productOf(outside, loc, {OpFoldResult(each), rows});
  Value block = memref::AllocOp::create(
      outside, loc,
      MemRefType::get({ShapedType::kDynamic}, outside.getI8Type()),
      getValueOrCreateConstantIndexOp(outside, loc, all),
      outside.getI64IntegerAttr(alignmentOfMemory));
  OpBuilder behind(launch.op->getContext());
  behind.setInsertionPointAfter(launch.op);
  memref::DeallocOp::create(behind, loc, block);
  Value shift = arith::MulIOp::create(inside, loc, launch.block, each);
  SmallVector<Value> sizes =
      llvm::map_to_vector(alloc.getDynamicSizes(), [&](Value size) {
        return values.lookupOrDefault(size);
      });
  return memref::ViewOp::create(inside, loc, alloc.getType(), block, shift,
                                sizes);
}

void lh::launchRows(IRRewriter &rewriter, scf::ForallOp loop, int64_t threads,
                    int64_t sharedBytes) {
  // From zero, by ones.
  FailureOr<scf::ForallOp> counted = normalizeForallOp(rewriter, loop);
  assert(succeeded(counted) && "every loop can be counted");
  RowKernel(rewriter, *counted, threads, sharedBytes).emit();
}
