// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intervals of indices, relative to a loop's own.
#include "compiler/gaps/memory/IterationRanges.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace lh;
using namespace mlir;

/// Sizes beyond are taken for unknown, so that sums don't overflow.
static constexpr int64_t farAway = int64_t(1) << 40;

using MaybeRange = std::optional<IterationRange>;

static MaybeRange bounded(IterationRange range) {
  bool isNear = std::abs(range.factor) < farAway && range.low > -farAway &&
                range.high < farAway;
  return isNear ? MaybeRange(range) : std::nullopt;
}

static MaybeRange constant(int64_t value) { return bounded({0, value, value}); }

static MaybeRange add(MaybeRange a, MaybeRange b) {
  if (!a || !b)
    return std::nullopt;
  return bounded({a->factor + b->factor, a->low + b->low, a->high + b->high});
}

/// What the range is if that is one number.
static std::optional<int64_t> numberIn(MaybeRange range) {
  bool isNumber = range && range->factor == 0 && range->low == range->high;
  return isNumber ? std::optional(range->low) : std::nullopt;
}

static MaybeRange scale(MaybeRange a, int64_t by) {
  if (!a || std::abs(by) >= int64_t(1) << 20)
    return std::nullopt;
  // Of a list, for of two numbers it gives references.
  auto [low, high] = std::minmax({a->low * by, a->high * by});
  return bounded({a->factor * by, low, high});
}

static MaybeRange multiply(MaybeRange a, MaybeRange b) {
  if (!numberIn(b))
    std::swap(a, b);
  std::optional<int64_t> by = numberIn(b);
  return by ? scale(a, *by) : std::nullopt;
}

static MaybeRange divide(MaybeRange a, MaybeRange b) {
  std::optional<int64_t> by = numberIn(b);
  if (!a || a->factor || !by || *by <= 0)
    return std::nullopt;
  return IterationRange{0, llvm::divideFloorSigned(a->low, *by),
                        llvm::divideFloorSigned(a->high, *by)};
}

static MaybeRange remainder(MaybeRange a, MaybeRange b) {
  std::optional<int64_t> by = numberIn(b);
  if (!by || *by <= 0)
    return std::nullopt;
  bool isSmall = a && a->factor == 0 && a->low >= 0 && a->high < *by;
  return isSmall ? a : IterationRange{0, 0, *by - 1};
}

using Choice = const int64_t &(*)(const int64_t &, const int64_t &);

/// Of ranges that go with the loop's index alike the chosen ends.
static MaybeRange merge(MaybeRange a, MaybeRange b, Choice low, Choice high) {
  if (!a || !b || a->factor != b->factor)
    return std::nullopt;
  return IterationRange{a->factor, low(a->low, b->low), high(a->high, b->high)};
}

MaybeRange IterationRanges::of(AffineExpr expression, unsigned dimensions,
                               ValueRange values) {
  if (auto number = dyn_cast<AffineConstantExpr>(expression))
    return constant(number.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return of(values[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return of(values[dimensions + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expression);
  MaybeRange left = of(binary.getLHS(), dimensions, values);
  MaybeRange right = of(binary.getRHS(), dimensions, values);
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return add(left, right);
  case AffineExprKind::Mul:
    return multiply(left, right);
  case AffineExprKind::FloorDiv:
    return divide(left, right);
  case AffineExprKind::Mod:
    return remainder(left, right);
  default:
    return std::nullopt;
  }
}

/// Sizes of what is cut off at an end: at most the number, at least one.
static MaybeRange cutOff(ArrayRef<MaybeRange> results) {
  MaybeRange most;
  for (const MaybeRange &result : results)
    if (result && result->factor == 0 && (!most || result->high < most->high))
      most = result;
  if (most)
    most->low = std::min<int64_t>(most->low, -farAway + 1);
  return most;
}

MaybeRange IterationRanges::of(AffineMap map, ValueRange values, bool isLeast) {
  SmallVector<MaybeRange> results;
  for (AffineExpr expression : map.getResults())
    results.push_back(of(expression, map.getNumDims(), values));
  Choice choice = std::max<int64_t>;
  if (isLeast)
    choice = std::min<int64_t>;
  MaybeRange joined = results.front();
  for (const MaybeRange &result : llvm::drop_begin(results))
    joined = merge(joined, result, choice, choice);
  return joined || !isLeast ? joined : cutOff(results);
}

/// The index of a loop inside of this one.
MaybeRange IterationRanges::ofInner(scf::ForOp inner) {
  MaybeRange from = of(inner.getLowerBound()), to = of(inner.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(inner.getStep());
  if (!from || !to || !step || *step <= 0 || from->factor != to->factor)
    return std::nullopt;
  int64_t last = to->high - 1;
  bool isConstant = from->low == from->high && to->low == to->high;
  if (isConstant && last >= from->low)
    last = from->low + (last - from->low) / *step * *step;
  return bounded({from->factor, from->low, std::max(from->low, last)});
}

MaybeRange IterationRanges::compute(Value index) {
  if (index == loop.getInductionVar())
    return IterationRange{1, 0, 0};
  if (auto value = getConstantIntValue(getAsOpFoldResult(index)))
    return constant(*value);
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto inner = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    bool isIndex = inner && argument == inner.getInductionVar() &&
                   loop->isProperAncestor(inner);
    return isIndex ? ofInner(inner) : std::nullopt;
  }
  Operation *op = index.getDefiningOp();
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return of(apply.getAffineMap(), apply.getMapOperands(), true);
  if (auto least = dyn_cast<affine::AffineMinOp>(op))
    return of(least.getAffineMap(), least.getOperands(), true);
  if (auto largest = dyn_cast<affine::AffineMaxOp>(op))
    return of(largest.getAffineMap(), largest.getOperands(), false);
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  MaybeRange left = of(op->getOperand(0)), right = of(op->getOperand(1));
  if (isa<arith::MulIOp>(op))
    return multiply(left, right);
  return add(left, isa<arith::SubIOp>(op) ? scale(right, -1) : right);
}

MaybeRange IterationRanges::of(Value index) {
  auto [place, isNew] = known.try_emplace(index);
  if (!isNew)
    return place->second;
  MaybeRange range = compute(index);
  known[index] = range;
  return range;
}

MaybeRange IterationRanges::of(OpFoldResult index) {
  if (auto value = getConstantIntValue(index))
    return constant(*value);
  return of(cast<Value>(index));
}

IterationSlab IterationRanges::slab(ValueRange indices) {
  return llvm::map_to_vector(indices, [&](Value index) { return of(index); });
}

IterationSlab IterationRanges::slab(VectorTransferOpInterface transfer) {
  IterationSlab slab = this->slab(ValueRange(transfer.getIndices()));
  VectorType type = transfer.getVectorType();
  for (auto [result, size, scalable] :
       llvm::zip(transfer.getPermutationMap().getResults(), type.getShape(),
                 type.getScalableDims())) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (dim && scalable)
      return IterationSlab(slab.size());
    if (dim && slab[dim.getPosition()])
      slab[dim.getPosition()]->high += size - 1;
  }
  return slab;
}

IterationSlab IterationRanges::slab(OffsetSizeAndStrideOpInterface slice) {
  IterationSlab source;
  for (auto [offset, size, stride] :
       llvm::zip_equal(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides())) {
    MaybeRange inside = of(size), from = of(offset);
    std::optional<int64_t> by = getConstantIntValue(stride);
    bool isKnown =
        inside && inside->factor == 0 && inside->high >= 1 && by && *by >= 1;
    source.push_back(
        isKnown ? add(from, scale(IterationRange{0, 0, inside->high - 1}, *by))
                : MaybeRange());
  }
  return source;
}

IterationSlab lh::joinSlabs(const IterationSlab &a, const IterationSlab &b) {
  IterationSlab joined;
  for (auto [left, right] : llvm::zip_equal(a, b))
    joined.push_back(merge(left, right, std::min<int64_t>, std::max<int64_t>));
  return joined;
}

bool lh::areApart(const IterationSlab &slab, int64_t step) {
  return llvm::any_of(slab, [&](const MaybeRange &range) {
    return range && range->factor &&
           range->high - range->low < std::abs(range->factor) * step;
  });
}
