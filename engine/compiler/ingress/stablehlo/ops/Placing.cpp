// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices, updates and padding, with places known or computed.
#include "compiler/ingress/emit/EmitterLoop.h"
#include "compiler/ingress/stablehlo/OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace lh;
using namespace mlir;

static LogicalResult slice(OpContext &c) {
  auto rank = static_cast<size_t>(c.rank());
  auto starts = c.integers("start_indices", rank, 0);
  auto limits = c.integers("limit_indices", rank, 0);
  auto strides = c.integers("strides", rank, 1);
  if (failed(starts) || failed(limits) || failed(strides))
    return failure();
  Emitter &emit = c.emit;
  Sizes own = emit.sizesOf(c.in(0)), sizes;
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t start = (*starts)[dim], limit = (*limits)[dim],
            stride = (*strides)[dim];
    std::optional<int64_t> size = emit.known(own[dim]);
    if (start < 0 || limit < start || stride < 1 || (size && limit > *size))
      return c.mismatch("there is no slice [" + Twine(start) + ":" +
                        Twine(limit) + ":" + Twine(stride) + "] of dimension " +
                        Twine(dim) + " of shape " + shapeText(c.in(0)));
    sizes.push_back(emit.index((limit - start + stride - 1) / stride));
  }
  return c.result(emit.slice(c.in(0), emit.staticSizes(*starts), sizes,
                             emit.staticSizes(*strides)));
}

/// Start, limit and stride of each dimension from operands.
static LogicalResult realDynamicSlice(OpContext &c) {
  auto rank = static_cast<size_t>(c.rank());
  FailureOr<Sizes> starts = c.indices(1, rank), limits = c.indices(2, rank),
                   strides = c.indices(3, rank);
  if (failed(starts) || failed(limits) || failed(strides))
    return failure();
  Emitter &emit = c.emit;
  Sizes sizes;
  for (size_t dim = 0; dim < rank; ++dim) {
    OpFoldResult span = emit.sub((*limits)[dim], (*starts)[dim]);
    OpFoldResult stride = (*strides)[dim];
    OpFoldResult last = emit.sub(emit.add(span, stride), emit.index(1));
    sizes.push_back(emit.divide(last, stride));
  }
  return c.result(emit.slice(c.in(0), *starts, c.sizesOr(sizes), *strides));
}

/// Where a window of `sizes` begins: scalars from operand `first` on, moved so
/// that the window lies inside of operand 0.
static FailureOr<Sizes> windowStart(OpContext &c, size_t first,
                                    const Sizes &sizes) {
  Emitter &emit = c.emit;
  Sizes own = emit.sizesOf(c.in(0)), starts;
  if (c.inputCount() != first + own.size())
    return c.mismatch("it has " + Twine(c.inputCount() - first) +
                      " start indices for an operand of shape " +
                      shapeText(c.in(0)));
  for (size_t dim = 0; dim < own.size(); ++dim) {
    FailureOr<Value> given = c.index(first + dim);
    if (failed(given))
      return failure();
    OpFoldResult room = emit.sub(own[dim], sizes[dim]);
    starts.push_back(emit.known(room) == 0
                         ? emit.index(0)
                         : emit.max(emit.min(*given, room), emit.index(0)));
  }
  return starts;
}

static LogicalResult dynamicSlice(OpContext &c) {
  auto rank = static_cast<size_t>(c.rank());
  auto sizes = c.integers("slice_sizes", rank, -1);
  if (failed(sizes))
    return failure();
  Emitter &emit = c.emit;
  for (auto [size, own] : llvm::zip(*sizes, emit.sizesOf(c.in(0))))
    if (size < 0 || (emit.known(own) && size > *emit.known(own)))
      return c.mismatch("a slice of " + Twine(size) +
                        " elements is not in shape " + shapeText(c.in(0)));
  Sizes extents = emit.staticSizes(*sizes);
  FailureOr<Sizes> starts = windowStart(c, 1, extents);
  if (failed(starts))
    return failure();
  return c.result(
      emit.slice(c.in(0), *starts, extents, Sizes(rank, emit.index(1))));
}

static LogicalResult dynamicUpdateSlice(OpContext &c) {
  Emitter &emit = c.emit;
  Sizes own = emit.sizesOf(c.in(0)), part = emit.sizesOf(c.in(1));
  bool fits = own.size() == part.size() && c.dtype(0) == c.dtype(1);
  for (size_t dim = 0; fits && dim < own.size(); ++dim) {
    std::optional<int64_t> a = emit.known(own[dim]), b = emit.known(part[dim]);
    fits = !a || !b || *b <= *a;
  }
  if (!fits)
    return c.mismatch("an update of shape " + shapeText(c.in(1)) +
                      " doesn't fit an operand of shape " + shapeText(c.in(0)));
  FailureOr<Sizes> starts = windowStart(c, 2, part);
  if (failed(starts))
    return failure();
  return c.result(insertSlice(emit, c.in(1), c.in(0), *starts, part));
}

namespace {
/// What `pad` adds to one dimension: numbers of elements; low and high ones
/// may be negative.
struct Margins {
  Sizes low, high, interior;
};
} // namespace

/// Elements with others between them, which are a generator's to place.
static Value spread(OpContext &c, Value tensor, const Margins &margins,
                    const Sizes &sizes, Value padding) {
  Emitter &emit = c.emit;
  SmallVector<Value> lows = emit.asValues(margins.low), steps,
                     own = emit.asValues(emit.sizesOf(tensor));
  for (OpFoldResult gap : margins.interior)
    steps.push_back(emit.asValue(emit.add(gap, emit.index(1))));
  Type element = tensorTypeOf(tensor).getElementType();
  return emit.generate(
      sizes, element, [&](OpBuilder &b, Location loc, ValueRange at) {
        Value isThere = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
        SmallVector<Value> from;
        for (auto [dim, place] : llvm::enumerate(at)) {
          Value moved = indexSub(b, loc, place, lows[dim]);
          Value index = indexDiv(b, loc, moved, steps[dim]);
          Value back = indexMul(b, loc, index, steps[dim]);
          Value isWhole = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::eq, back, moved);
          Value isInside = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::ult, index, own[dim]);
          isThere = arith::AndIOp::create(
              b, loc, isThere,
              arith::AndIOp::create(b, loc, isWhole, isInside));
          from.push_back(normalizeIndex(b, loc, index, own[dim]));
        }
        Value value = extractElement(b, loc, tensor, from);
        return Value(arith::SelectOp::create(b, loc, isThere, value, padding));
      });
}

static LogicalResult padWith(OpContext &c, const Margins &margins) {
  if (c.rank(1) != 0 || c.dtype(1) != c.dtype())
    return c.mismatch("the padding must be a scalar of the operand's type");
  Emitter &emit = c.emit;
  Sizes own = emit.sizesOf(c.in(0)), computed;
  bool isPlain = true, isEmpty = false;
  for (size_t dim = 0; dim < own.size(); ++dim) {
    OpFoldResult gaps =
        emit.mul(emit.max(emit.sub(own[dim], emit.index(1)), emit.index(0)),
                 margins.interior[dim]);
    OpFoldResult inner = emit.add(own[dim], gaps);
    computed.push_back(
        emit.add(emit.add(margins.low[dim], inner), margins.high[dim]));
    auto isNotNegative = [&](OpFoldResult size) {
      std::optional<int64_t> known = emit.known(size);
      return known && *known >= 0;
    };
    isPlain &= emit.known(margins.interior[dim]) == 0 &&
               isNotNegative(margins.low[dim]) &&
               isNotNegative(margins.high[dim]);
    isEmpty |= emit.known(own[dim]) == 0;
    if (std::optional<int64_t> size = emit.known(computed[dim]);
        size && *size < 0)
      return c.mismatch("the padding leaves " + Twine(*size) +
                        " elements of dimension " + Twine(dim));
  }
  Value padding = emit.scalarOf(c.in(1));
  Sizes sizes = c.sizesOr(computed);
  if (isEmpty)
    return c.result(emit.filled(sizes, padding));
  if (isPlain)
    return c.result(emit.pad(c.in(0), margins.low, margins.high, padding));
  return c.result(spread(c, c.in(0), margins, sizes, padding));
}

static LogicalResult pad(OpContext &c) {
  auto rank = static_cast<size_t>(c.rank());
  auto low = c.integers("edge_padding_low", rank, 0);
  auto high = c.integers("edge_padding_high", rank, 0);
  auto interior = c.integers("interior_padding", rank, 0);
  if (failed(low) || failed(high) || failed(interior))
    return failure();
  for (int64_t gap : *interior)
    if (gap < 0)
      return c.error("'interior_padding' holds " + Twine(gap));
  Emitter &emit = c.emit;
  return padWith(c, {emit.staticSizes(*low), emit.staticSizes(*high),
                     emit.staticSizes(*interior)});
}

static LogicalResult dynamicPad(OpContext &c) {
  auto rank = static_cast<size_t>(c.rank());
  FailureOr<Sizes> low = c.indices(2, rank), high = c.indices(3, rank),
                   interior = c.indices(4, rank);
  if (failed(low) || failed(high) || failed(interior))
    return failure();
  return padWith(c, {*low, *high, *interior});
}

static LogicalResult dynamicIota(OpContext &c) {
  auto rank = static_cast<size_t>(c.declared().getRank());
  FailureOr<Sizes> sizes = c.indices(0, rank);
  FailureOr<int64_t> along = c.integer("iota_dimension");
  if (failed(sizes) || failed(along))
    return failure();
  if (*along < 0 || *along >= static_cast<int64_t>(rank))
    return c.error("'iota_dimension' is " + Twine(*along) +
                   ", the result has " + Twine(rank) + " dimensions");
  DType dtype = c.resultType();
  return c.resultByPlace(
      c.sizesOr(*sizes), [&](OpBuilder &b, Location loc, ValueRange at) {
        Value place =
            fromIndex(b, loc, at[static_cast<size_t>(*along)], DType::Int64);
        return convertScalar(b, loc, place, DType::Int64, dtype);
      });
}

void lh::addPlacingOps(HloTable &t) {
  t["stablehlo.slice"] = {1, 1, 1, 0, slice};
  t["stablehlo.dynamic_slice"] = {1, HloRow::any, 1, 0, dynamicSlice};
  t["stablehlo.dynamic_update_slice"] = {2, HloRow::any, 1, 0,
                                         dynamicUpdateSlice};
  t["stablehlo.pad"] = {2, 2, 1, 0, pad};
}

void lh::addDynamicOps(HloTable &t) {
  t["stablehlo.real_dynamic_slice"] = {4, 4, 1, 0, realDynamicSlice};
  t["stablehlo.dynamic_pad"] = {5, 5, 1, 0, dynamicPad};
  t["stablehlo.dynamic_iota"] = {1, 1, 1, 0, dynamicIota};
}
