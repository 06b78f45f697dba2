// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices, updates and padding, with places known or computed.
#include "compiler/ingress/emit/EmitterLoop.h"
#include "compiler/ingress/emit/Window.h"
#include "compiler/ingress/stablehlo/OpTable.h"

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

static LogicalResult padWith(OpContext &c, const Margins &margins) {
  if (c.rank(1) != 0 || c.dtype(1) != c.dtype())
    return c.mismatch("the padding must be a scalar of the operand's type");
  Emitter &emit = c.emit;
  return c.result(withMargins(emit, c.in(0), margins, emit.scalarOf(c.in(1))));
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
}
