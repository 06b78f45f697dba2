// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of what is on buffers: what follows a product is its kernel's, all
// else has a kernel of its own, with a thread for each point of an op's result,
// or a block for each row of a loop over rows.
#include "compiler/gaps/Buffers.h"
#include "compiler/gaps/gpu/KernelCode.h"
#include "compiler/gaps/gpu/KernelLaunch.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"

namespace lh {
#define GEN_PASS_DECL_LAUNCHKERNELSPASS
#define GEN_PASS_DEF_LAUNCHKERNELSPASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;
using linalg::LinalgOp;

namespace {
/// Which threads compute an op.
struct LaunchRule {
  int64_t threads; ///< of a block, at most
  /// Shorter sums are a thread's own.
  int64_t leastSharedSum;
  /// With so many results a thread for each of them fills the device.
  int64_t manyPoints;
};
} // namespace

KernelLaunch lh::openLaunch(OpBuilder &builder, Location loc,
                            OpFoldResult blocks, int64_t threads) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value one = constant(1);
  Value grid = getValueOrCreateConstantIndexOp(builder, loc, blocks);
  // A launch of no blocks is an error; a block may find nothing to do.
  if (!getConstantIntValue(blocks))
    grid = arith::MaxUIOp::create(builder, loc, grid, one);
  auto op = gpu::LaunchOp::create(builder, loc, grid, one, one,
                                  constant(threads), one, one);
  OpBuilder inside = OpBuilder::atBlockEnd(&op.getBody().front());
  gpu::TerminatorOp::create(inside, loc);
  return {op, op.getBlockIds().x, op.getThreadIds().x, threads};
}

int64_t lh::threadsFor(std::optional<int64_t> wanted, int64_t most) {
  if (!wanted)
    return most;
  return std::clamp(static_cast<int64_t>(llvm::alignTo(*wanted, lanesOfWarp)),
                    lanesOfWarp, most);
}

/// Where code runs for the `index`-th of `count` things; for any, where that is
/// null.
static OpBuilder within(OpBuilder &builder, Value index, OpFoldResult count) {
  if (!count)
    return builder;
  Location loc = index.getLoc();
  Value end = getValueOrCreateConstantIndexOp(builder, loc, count);
  Value isThere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        index, end);
  return scf::IfOp::create(builder, loc, isThere, /*withElseRegion=*/false)
      .getThenBodyBuilder();
}

/// A thread for each point.
static void launchPoints(OpBuilder &builder, LinalgOp op,
                         const KernelLoops &loops, int64_t mostThreads) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = sizesOf(loops, loops.points);
  std::optional<int64_t> known = knownProduct(sizes);
  int64_t threads = threadsFor(known, mostThreads);
  OpFoldResult points = productOf(builder, loc, sizes);
  OpFoldResult blocks = affine::makeComposedFoldedAffineApply(
      builder, loc, builder.getAffineSymbolExpr(0).ceilDiv(threads), {points});
  KernelLaunch launch = openLaunch(builder, loc, blocks, threads);
  OpBuilder inside = launch.inside();
  Value size = arith::ConstantIndexOp::create(inside, loc, threads);
  Value first = arith::MulIOp::create(inside, loc, launch.block, size);
  Value index = arith::AddIOp::create(inside, loc, first, launch.thread);
  bool isWhole = known && *known % threads == 0;
  OpBuilder thread = within(inside, index, isWhole ? OpFoldResult() : points);
  emitPoint(thread, op, loops, placeOf(thread, loc, index, sizes));
}

/// A block for each point.
static void launchSums(OpBuilder &builder, LinalgOp op,
                       const KernelLoops &loops, int64_t mostThreads) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = sizesOf(loops, loops.points);
  int64_t threads =
      threadsFor(knownProduct(sizesOf(loops, loops.sums)), mostThreads);
  OpFoldResult points = productOf(builder, loc, sizes);
  KernelLaunch launch = openLaunch(builder, loc, points, threads);
  OpBuilder inside = launch.inside();
  OpBuilder block =
      within(inside, launch.block,
             getConstantIntValue(points) ? OpFoldResult() : points);
  emitSharedPoint(block, op, loops, placeOf(block, loc, launch.block, sizes),
                  launch);
}

/// Few points of long sums leave the device idle but for their threads.
static bool hasFewLongSums(LinalgOp op, const KernelLoops &loops,
                           const LaunchRule &rule) {
  if (!canShareSum(op))
    return false;
  std::optional<int64_t> points = knownProduct(sizesOf(loops, loops.points)),
                         sums = knownProduct(sizesOf(loops, loops.sums));
  return (!sums || *sums >= rule.leastSharedSum) && points &&
         *points < rule.manyPoints;
}

static void launchOp(IRRewriter &rewriter, LinalgOp op,
                     const LaunchRule &rule) {
  rewriter.setInsertionPoint(op);
  KernelLoops loops = loopsOf(rewriter, op);
  bool isEmpty = knownProduct(sizesOf(loops, loops.points)) == 0;
  if (!isEmpty && hasFewLongSums(op, loops, rule))
    launchSums(rewriter, op, loops, rule.threads);
  else if (!isEmpty)
    launchPoints(rewriter, op, loops, rule.threads);
  rewriter.eraseOp(op);
}

/// Constants are the host's: each kernel is to have those it reads.
static void sinkConstants(gpu::LaunchOp launch) {
  Region &body = launch.getBody();
  OpBuilder inside = OpBuilder::atBlockBegin(&body.front());
  IRMapping sunk;
  std::function<void(Value)> sink = [&](Value value) {
    if (sunk.contains(value) ||
        !bufferOf(value).getDefiningOp<memref::GetGlobalOp>())
      return;
    Operation *maker = value.getDefiningOp();
    for (Value operand : maker->getOperands())
      sink(operand);
    inside.clone(*maker, sunk);
  };
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(body, captured);
  for (Value value : captured) {
    sink(value);
    if (sunk.contains(value))
      replaceAllUsesInRegionWith(value, sunk.lookup(value), body);
  }
}

namespace {
struct LaunchKernelsPass : lh::impl::LaunchKernelsPassBase<LaunchKernelsPass> {
  using Base::Base;

  void runOnOperation() override;
};
} // namespace

/// Host code that touches a device's memory element by element.
static void reportHostLoops(FunctionOpInterface function) {
  Operation *first = nullptr;
  int64_t count = 0;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<gpu::LaunchOp>(op))
      return WalkResult::skip();
    if (isa<memref::StoreOp>(op) &&
        op->getParentOfType<LoopLikeOpInterface>()) {
      first = first ? first : op;
      ++count;
    }
    return WalkResult::advance();
  });
  if (first)
    first->emitWarning() << count
                         << " op(s) in loops write device memory from the "
                            "host, a number at a time; this is the first";
}

void LaunchKernelsPass::runOnOperation() {
  fuseIntoKernels(getOperation());
  IRRewriter rewriter(&getContext());
  SmallVector<Operation *> work;
  getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto rows = dyn_cast<scf::ForallOp>(op);
    bool isRows = rows && canShareRows(rows);
    if (isRows || isa<LinalgOp, memref::CopyOp>(op))
      work.push_back(op);
    bool isMapped = rows && rows.getMapping();
    return isRows || isMapped || isa<gpu::LaunchOp, LinalgOp>(op)
               ? WalkResult::skip()
               : WalkResult::advance();
  });
  for (Operation *op : work) {
    if (auto rows = dyn_cast<scf::ForallOp>(op)) {
      launchRows(rewriter, rows, threads, sharedBytes);
      continue;
    }
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      rewriter.setInsertionPoint(copy);
      op = linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                                    copy.getTarget());
      rewriter.eraseOp(copy);
    }
    launchOp(rewriter, cast<LinalgOp>(op),
             {threads, leastSharedSum, manyPoints});
  }
  getOperation()->walk(sinkConstants);
  reportHostLoops(getOperation());
}
