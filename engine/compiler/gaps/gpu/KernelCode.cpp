// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code of one thread: a point of a linalg op's results, or a share of its sum.
#include "compiler/gaps/gpu/KernelCode.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace lh;
using namespace mlir;
using linalg::LinalgOp;

LinalgOp lh::linalgOf(IRRewriter &rewriter, Operation *op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    rewriter.setInsertionPoint(copy);
    op = linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                                  copy.getTarget());
    rewriter.eraseOp(copy);
  }
  return cast<LinalgOp>(op);
}

KernelLoops lh::loopsOf(OpBuilder &builder, LinalgOp op) {
  KernelLoops loops;
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  // Neighbouring threads are to write neighbouring elements.
  SmallVector<unsigned> along;
  for (AffineExpr result : written.getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(result))
      along.push_back(loop.getPosition());
  op.getParallelDims(loops.points);
  llvm::erase_if(loops.points, [&](unsigned loop) {
    return llvm::is_contained(along, loop);
  });
  llvm::append_range(loops.points, along);
  op.getReductionDims(loops.sums);
  SmallVector<Range> ranges = op.createLoopRanges(builder, op.getLoc());
  auto sizeOf = [&](unsigned loop) { return ranges[loop].size; };
  loops.pointSizes = llvm::map_to_vector(loops.points, sizeOf);
  loops.sumSizes = llvm::map_to_vector(loops.sums, sizeOf);
  return loops;
}

std::optional<int64_t> lh::knownProduct(ArrayRef<OpFoldResult> sizes) {
  int64_t product = 1;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (!known)
      return std::nullopt;
    product *= *known;
  }
  return product;
}

OpFoldResult lh::productOf(OpBuilder &builder, Location loc,
                           ArrayRef<OpFoldResult> sizes) {
  OpFoldResult product = builder.getIndexAttr(1);
  AffineExpr left, right;
  bindSymbols(builder.getContext(), left, right);
  for (OpFoldResult size : sizes)
    product = affine::makeComposedFoldedAffineApply(builder, loc, left * right,
                                                    {product, size});
  return product;
}

/// In 32 bits where that is enough: a GPU divides these several times faster.
SmallVector<Value> lh::placeOf(OpBuilder &builder, Location loc, Value index,
                               ArrayRef<OpFoldResult> sizes) {
  std::optional<int64_t> product = knownProduct(sizes);
  bool isNarrow = product && *product <= INT32_MAX;
  Type type = isNarrow ? Type(builder.getI32Type()) : builder.getIndexType();
  auto as = [&](Type wanted, Value number) {
    return isNarrow ? arith::IndexCastUIOp::create(builder, loc, wanted, number)
                          .getResult()
                    : number;
  };
  index = as(type, index);
  SmallVector<Value> places(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    if (isConstantIntValue(sizes[i], 1)) {
      places[i] = arith::ConstantIndexOp::create(builder, loc, 0);
      continue;
    }
    bool isOutermost = llvm::all_of(sizes.take_front(i), [](OpFoldResult size) {
      return isConstantIntValue(size, 1);
    });
    Value place = index;
    if (!isOutermost) {
      Value size =
          as(type, getValueOrCreateConstantIndexOp(builder, loc, sizes[i]));
      place = arith::RemUIOp::create(builder, loc, index, size);
      index = arith::DivUIOp::create(builder, loc, index, size);
    }
    places[i] = as(builder.getIndexType(), place);
  }
  return places;
}

SmallVector<Value> lh::addressOf(OpBuilder &builder, LinalgOp op,
                                 OpOperand &operand, ArrayRef<Value> indices) {
  SmallVector<OpFoldResult> operands(indices.begin(), indices.end());
  return getValueOrCreateConstantIndexOp(
      builder, op.getLoc(),
      affine::makeComposedFoldedMultiResultAffineApply(
          builder, op.getLoc(), op.getMatchingIndexingMap(&operand), operands));
}

static Value load(OpBuilder &builder, LinalgOp op, OpOperand &operand,
                  ArrayRef<Value> indices) {
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  return memref::LoadOp::create(builder, op.getLoc(), operand.get(),
                                addressOf(builder, op, operand, indices));
}

SmallVector<Value> lh::emitBody(OpBuilder &builder, LinalgOp op,
                                ArrayRef<Value> indices, IRMapping mapping) {
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!argument.use_empty() && !mapping.contains(argument))
      mapping.map(argument, load(builder, op, operand, indices));
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(), indices[index.getDim()]);
      continue;
    }
    builder.clone(inner, mapping)->walk([&](linalg::IndexOp index) {
      index.replaceAllUsesWith(indices[index.getDim()]);
      index.erase();
    });
  }
  return llvm::map_to_vector(
      op.getBlock()->getTerminator()->getOperands(),
      [&](Value yielded) { return mapping.lookupOrDefault(yielded); });
}

/// Puts the places of these loops among the indices of all.
static void setPlaces(SmallVector<Value> &indices, ArrayRef<unsigned> loops,
                      ValueRange places) {
  for (auto [loop, place] : llvm::zip_equal(loops, places))
    indices[loop] = place;
}

/// What the body yields at these places of a sum; `sums` stand for the results'
/// former values, unless it reads none.
static SmallVector<Value> emitSum(OpBuilder &builder, LinalgOp op,
                                  const KernelLoops &loops,
                                  SmallVector<Value> indices, ValueRange places,
                                  ValueRange sums) {
  setPlaces(indices, loops.sums, places);
  IRMapping given;
  for (auto [argument, sum] : llvm::zip_equal(op.getRegionOutputArgs(), sums))
    if (sum)
      given.map(argument, sum);
  return emitBody(builder, op, indices, given);
}

/// Indices of all loops, of which those over sums are yet to come.
static SmallVector<Value> indicesAt(OpBuilder &builder, LinalgOp op,
                                    const KernelLoops &loops,
                                    ArrayRef<Value> point) {
  SmallVector<Value> indices(op.getNumLoops(), arith::ConstantIndexOp::create(
                                                   builder, op.getLoc(), 0));
  setPlaces(indices, loops.points, point);
  return indices;
}

static void store(OpBuilder &builder, LinalgOp op, ArrayRef<Value> indices,
                  ArrayRef<Value> values) {
  for (auto [i, value] : llvm::enumerate(values)) {
    OpOperand *init = op.getDpsInitOperand(static_cast<int64_t>(i));
    memref::StoreOp::create(builder, op.getLoc(), value, init->get(),
                            addressOf(builder, op, *init, indices));
  }
}

void lh::emitPoint(OpBuilder &builder, LinalgOp op, const KernelLoops &loops,
                   ArrayRef<Value> point) {
  Location loc = op.getLoc();
  SmallVector<Value> indices = indicesAt(builder, op, loops, point), sums;
  for (OpOperand &init : op.getDpsInitsMutable())
    sums.push_back(!loops.sums.empty() || op.payloadUsesValueFromOperand(&init)
                       ? load(builder, op, init, indices)
                       : Value());
  auto all = [&](int64_t number) {
    return SmallVector<Value>(loops.sums.size(), arith::ConstantIndexOp::create(
                                                     builder, loc, number));
  };
  scf::LoopNest nest = scf::buildLoopNest(
      builder, loc, all(0),
      getValueOrCreateConstantIndexOp(builder, loc, loops.sumSizes), all(1),
      sums,
      [&](OpBuilder &inside, Location, ValueRange places, ValueRange former) {
        return llvm::to_vector_of<Value>(
            emitSum(inside, op, loops, indices, places, former));
      });
  store(builder, op, indices, SmallVector<Value>(nest.results));
}

/// The operation that adds to the sum; null when there is no single one.
static Operation *combinerOf(LinalgOp op) {
  SmallVector<Operation *> combiners;
  if (op.getNumDpsInits() != 1 ||
      !matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1)
    return nullptr;
  return combiners.front();
}

bool lh::canShareSum(LinalgOp op) {
  Operation *combiner = op.getNumReductionLoops() ? combinerOf(op) : nullptr;
  if (!combiner || !arith::getNeutralElement(combiner))
    return false;
  // What a shuffle between threads takes.
  Type type = combiner->getResult(0).getType();
  return type.isF32() || type.isInteger(32);
}

static Value combine(OpBuilder &builder, Operation *combiner, Value left,
                     Value right) {
  IRMapping mapping;
  mapping.map(combiner->getOperand(0), left);
  mapping.map(combiner->getOperand(1), right);
  return builder.clone(*combiner, mapping)->getResult(0);
}

/// All shares of a warp, in each of its threads.
static Value combineInWarp(OpBuilder &builder, Operation *combiner, Value share,
                           int32_t lanes) {
  for (int32_t distance = lanes / 2; distance > 0; distance /= 2) {
    auto other = gpu::ShuffleOp::create(builder, combiner->getLoc(), share,
                                        distance, lanes, gpu::ShuffleMode::XOR);
    share = combine(builder, combiner, share, other.getShuffleResult());
  }
  return share;
}

/// All shares of a block, in each of its threads, through shared memory: of
/// what is left, the second half goes to the first.
static Value combineInMemory(OpBuilder &builder, Operation *combiner,
                             Value share, KernelLaunch &launch) {
  Location loc = combiner->getLoc();
  Value shares = launch.memoryOfSums(share.getType());
  memref::StoreOp::create(builder, loc, share, shares, launch.thread);
  auto threads = static_cast<uint64_t>(launch.threads);
  for (uint64_t left = threads; left > 1;) {
    uint64_t kept = llvm::bit_ceil(left) / 2;
    gpu::BarrierOp::create(builder, loc);
    OpBuilder inside =
        byFirst(builder, launch.thread,
                builder.getIndexAttr(static_cast<int64_t>(left - kept)));
    Value distance =
        arith::ConstantIndexOp::create(inside, loc, static_cast<int64_t>(kept));
    Value other = arith::AddIOp::create(inside, loc, launch.thread, distance);
    Value sum =
        combine(inside, combiner,
                memref::LoadOp::create(inside, loc, shares, launch.thread),
                memref::LoadOp::create(inside, loc, shares, other));
    memref::StoreOp::create(inside, loc, sum, shares, launch.thread);
    left = kept;
  }
  gpu::BarrierOp::create(builder, loc);
  Value first = arith::ConstantIndexOp::create(builder, loc, 0);
  return memref::LoadOp::create(builder, loc, shares, first);
}

/// All shares of a block, in each of its threads: by warps, and then what they
/// have left in shared memory.
static Value combineInBlock(OpBuilder &builder, Operation *combiner,
                            Value share, KernelLaunch &launch) {
  if (launch.lanes == 1)
    return combineInMemory(builder, combiner, share, launch);
  Location loc = combiner->getLoc();
  share = combineInWarp(builder, combiner, share,
                        static_cast<int32_t>(launch.lanes));
  int64_t warps = launch.threads / launch.lanes;
  if (warps == 1)
    return share;
  Value shares = launch.memoryOfSums(share.getType());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value lanes = constant(launch.lanes), zero = constant(0);
  Value lane = arith::RemUIOp::create(builder, loc, launch.thread, lanes);
  Value warp = arith::DivUIOp::create(builder, loc, launch.thread, lanes);
  OpBuilder first = byFirst(builder, lane, builder.getIndexAttr(1));
  memref::StoreOp::create(first, loc, share, shares, warp);
  gpu::BarrierOp::create(builder, loc);
  Value sum = memref::LoadOp::create(builder, loc, shares, zero);
  for (int64_t other = 1; other < warps; ++other)
    sum =
        combine(builder, combiner, sum,
                memref::LoadOp::create(builder, loc, shares, constant(other)));
  return sum;
}

OpBuilder lh::byFirst(OpBuilder &builder, Value index, OpFoldResult count) {
  Location loc = index.getLoc();
  Value end = getValueOrCreateConstantIndexOp(builder, loc, count);
  Value isThere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        index, end);
  return scf::IfOp::create(builder, loc, isThere, /*withElseRegion=*/false)
      .getThenBodyBuilder();
}

ValueRange
lh::forEach(OpBuilder &builder, Location loc, const KernelLaunch &launch,
            ArrayRef<OpFoldResult> sizes, ValueRange carried,
            llvm::function_ref<SmallVector<Value>(OpBuilder &, ArrayRef<Value>,
                                                  ValueRange)>
                emit) {
  Value total = getValueOrCreateConstantIndexOp(builder, loc,
                                                productOf(builder, loc, sizes));
  Value step = arith::ConstantIndexOp::create(builder, loc, launch.threads);
  return scf::ForOp::create(
             builder, loc, launch.thread, total, step, carried,
             [&](OpBuilder &inside, Location, Value index, ValueRange former) {
               SmallVector<Value> place = placeOf(inside, loc, index, sizes);
               scf::YieldOp::create(inside, loc, emit(inside, place, former));
             })
      .getResults();
}

/// A thread's share of a sum.
static Value emitShare(OpBuilder &builder, LinalgOp op,
                       const KernelLoops &loops,
                       const SmallVector<Value> &indices,
                       const KernelLaunch &launch) {
  Value start = arith::ConstantOp::create(
      builder, op.getLoc(), *arith::getNeutralElement(combinerOf(op)));
  return forEach(
             builder, op.getLoc(), launch, loops.sumSizes, start,
             [&](OpBuilder &inside, ArrayRef<Value> places, ValueRange former) {
               return emitSum(inside, op, loops, indices, places, former);
             })
      .front();
}

void lh::emitSharedPoint(OpBuilder &builder, LinalgOp op,
                         const KernelLoops &loops, ArrayRef<Value> point,
                         KernelLaunch &launch) {
  SmallVector<Value> indices = indicesAt(builder, op, loops, point);
  Operation *combiner = combinerOf(op);
  Value sum =
      combineInBlock(builder, combiner,
                     emitShare(builder, op, loops, indices, launch), launch);
  OpBuilder inside = byFirst(builder, launch.thread, builder.getIndexAttr(1));
  Value former = load(inside, op, *op.getDpsInitOperand(0), indices);
  store(inside, op, indices, combine(inside, combiner, former, sum));
}
