// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of what is on buffers: what follows a product is its kernel's, all
// else has a kernel of its own, with a thread for each point of an op's result,
// or a block for each row of a loop over rows.
#include "compiler/gaps/Buffers.h"
#include "compiler/gaps/gpu/KernelCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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

KernelLaunch lh::openLaunch(OpBuilder &builder, Location loc,
                            OpFoldResult blocks, int64_t threads,
                            int64_t lanes) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1),
        size = arith::ConstantIndexOp::create(builder, loc, threads);
  Value grid = getValueOrCreateConstantIndexOp(builder, loc, blocks);
  // A launch of no blocks is an error; a block may find nothing to do.
  if (!getConstantIntValue(blocks))
    grid = arith::MaxUIOp::create(builder, loc, grid, one);
  auto op = gpu::LaunchOp::create(builder, loc, grid, one, one, size, one, one);
  OpBuilder inside = OpBuilder::atBlockEnd(&op.getBody().front());
  gpu::TerminatorOp::create(inside, loc);
  KernelLaunch launch;
  launch.op = op;
  launch.block = op.getBlockIds().x;
  launch.thread = op.getThreadIds().x;
  launch.threads = threads;
  launch.lanes = lanes;
  return launch;
}

Value KernelLaunch::share(ArrayRef<int64_t> shape, Type element) {
  auto space = gpu::AddressSpaceAttr::get(
      op.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  return op.addWorkgroupAttribution(
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space),
      op.getLoc());
}

Value KernelLaunch::memoryOfSums(Type element) {
  Value &memory = sums[element];
  if (!memory)
    memory = share(sharesOfSum(), element);
  return memory;
}

int64_t BlockLimits::threadsFor(std::optional<int64_t> wanted) const {
  if (!wanted)
    return threads;
  auto whole = static_cast<int64_t>(
      llvm::alignTo(*wanted, static_cast<uint64_t>(lanes)));
  return std::clamp(whole, lanes, threads);
}

/// A thread for each point, or a block, whose threads share its sum.
static void launchPoints(OpBuilder &builder, LinalgOp op,
                         const KernelLoops &loops, const BlockLimits &limits,
                         bool sharesSums) {
  Location loc = op.getLoc();
  std::optional<int64_t> known = knownProduct(loops.pointSizes);
  int64_t threads =
      limits.threadsFor(sharesSums ? knownProduct(loops.sumSizes) : known);
  int64_t ofBlock = sharesSums ? 1 : threads;
  OpFoldResult points = productOf(builder, loc, loops.pointSizes);
  OpFoldResult blocks = affine::makeComposedFoldedAffineApply(
      builder, loc, builder.getAffineSymbolExpr(0).ceilDiv(ofBlock), {points});
  KernelLaunch launch = openLaunch(builder, loc, blocks, threads, limits.lanes);
  OpBuilder inside = launch.inside();
  Value index = launch.block;
  if (!sharesSums) {
    Value size = arith::ConstantIndexOp::create(inside, loc, threads);
    Value first = arith::MulIOp::create(inside, loc, launch.block, size);
    index = arith::AddIOp::create(inside, loc, first, launch.thread);
  }
  bool isWhole = known && *known % ofBlock == 0;
  OpBuilder code = isWhole ? inside : byFirst(inside, index, points);
  SmallVector<Value> point = placeOf(code, loc, index, loops.pointSizes);
  if (sharesSums)
    emitSharedPoint(code, op, loops, point, launch);
  else
    emitPoint(code, op, loops, point);
}

/// Constants are the host's: each kernel is to have those it reads, and what
/// they are views of.
static void sinkConstants(gpu::LaunchOp launch) {
  Region &body = launch.getBody();
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(body, captured);
  SmallVector<Value> values = captured.takeVector();
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (!bufferOf(value).getDefiningOp<memref::GetGlobalOp>())
      continue;
    Operation *own =
        OpBuilder::atBlockBegin(&body.front()).clone(*value.getDefiningOp());
    llvm::append_range(values, own->getOperands());
    replaceAllUsesInRegionWith(
        value, own->getResult(cast<OpResult>(value).getResultNumber()), body);
  }
}

namespace {
struct LaunchKernelsPass : lh::impl::LaunchKernelsPassBase<LaunchKernelsPass> {
  using Base::Base;

  void runOnOperation() override;

  /// Few points of long sums leave the device idle but for their threads; with
  /// many a thread for each of them fills it.
  bool hasFewLongSums(LinalgOp op, const KernelLoops &loops) {
    std::optional<int64_t> points = knownProduct(loops.pointSizes),
                           sums = knownProduct(loops.sumSizes);
    return canShareSum(op) && (!sums || *sums >= leastSharedSum) && points &&
           *points < manyPoints;
  }

  void launch(IRRewriter &rewriter, LinalgOp op) {
    rewriter.setInsertionPoint(op);
    KernelLoops loops = loopsOf(rewriter, op);
    if (knownProduct(loops.pointSizes) != 0)
      launchPoints(rewriter, op, loops, {threads, lanes, sharedBytes},
                   hasFewLongSums(op, loops));
    rewriter.eraseOp(op);
  }
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
    if (auto rows = dyn_cast<scf::ForallOp>(op))
      launchRows(rewriter, rows, {threads, lanes, sharedBytes});
    else
      launch(rewriter, linalgOf(rewriter, op));
  }
  getOperation()->walk(sinkConstants);
  reportHostLoops(getOperation());
}
