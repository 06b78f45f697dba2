// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that only arrange elements, and constants.
#include "compiler/ingress/stablehlo/Constants.h"
#include "compiler/ingress/stablehlo/OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace lh;
using namespace mlir;

static LogicalResult constant(OpContext &c) {
  FailureOr<HloValue> value = emitConstant(c, c.attribute("value"));
  if (failed(value))
    return failure();
  c.results[0] = *value;
  return success();
}

/// Each element is its place along a dimension.
static LogicalResult iotaOf(OpContext &c, Sizes sizes) {
  FailureOr<int64_t> along = c.integer("iota_dimension");
  if (failed(along))
    return failure();
  if (*along < 0 || *along >= static_cast<int64_t>(sizes.size()))
    return c.error("'iota_dimension' is " + Twine(*along) +
                   ", the result has " + Twine(sizes.size()) + " dimensions");
  DType dtype = c.resultType();
  return c.resultByPlace(
      std::move(sizes), [&](OpBuilder &b, Location loc, ValueRange at) {
        Value place =
            fromIndex(b, loc, at[static_cast<size_t>(*along)], DType::Int64);
        return convertScalar(b, loc, place, DType::Int64, dtype);
      });
}

static LogicalResult iota(OpContext &c) {
  RankedTensorType type = c.declared();
  if (!type.hasStaticShape())
    return c.mismatch("the result's shape must be static");
  return iotaOf(c, c.emit.staticSizes(type.getShape()));
}

static LogicalResult dynamicIota(OpContext &c) {
  auto rank = static_cast<size_t>(c.declared().getRank());
  FailureOr<Sizes> sizes = c.indices(0, rank);
  return failed(sizes) ? failure() : iotaOf(c, c.sizesOr(*sizes));
}

/// Each dimension of the operand becomes one of the result, or is repeated
/// along it where it has one element.
static LogicalResult broadcastInto(OpContext &c, Sizes sizes) {
  auto rank = static_cast<int64_t>(sizes.size());
  FailureOr<SmallVector<int64_t>> into =
      c.dimensions("broadcast_dimensions", rank);
  if (failed(into))
    return failure();
  Emitter &emit = c.emit;
  Sizes own = emit.sizesOf(c.in(0));
  if (into->size() != own.size())
    return c.mismatch("'broadcast_dimensions' has " + Twine(into->size()) +
                      " values for an operand of shape " + shapeText(c.in(0)));
  for (auto [dim, size] : llvm::zip(*into, own)) {
    std::optional<int64_t> a = emit.known(size);
    std::optional<int64_t> b = emit.known(sizes[static_cast<size_t>(dim)]);
    if (a && b && *a != 1 && *a != *b)
      return c.mismatch("a dimension of " + Twine(*a) +
                        " can't be repeated to " + Twine(*b));
  }
  // First in the result's order, then with ones for what is new.
  SmallVector<int64_t> order(own.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<int64_t>(i);
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return (*into)[static_cast<size_t>(a)] < (*into)[static_cast<size_t>(b)];
  });
  Value ordered = emit.transpose(c.in(0), order);
  Sizes spread(sizes.size(), emit.index(1));
  for (auto [dim, size] : llvm::zip(*into, own))
    spread[static_cast<size_t>(dim)] = size;
  Value repeated = emit.reshape(ordered, spread);
  bool isWhole = llvm::all_of(llvm::zip(spread, sizes), [&](auto pair) {
    std::optional<int64_t> size = emit.known(std::get<1>(pair));
    return size && emit.known(std::get<0>(pair)) == size;
  });
  if (isWhole)
    return c.result(repeated);
  Value result = emit.broadcastTo(repeated, sizes);
  c.set(0, result);
  if (tensorTypeOf(repeated).hasStaticShape() &&
      tensorTypeOf(result).hasStaticShape())
    c.results[0]->repeated = repeated;
  return success();
}

static LogicalResult broadcastInDim(OpContext &c) {
  RankedTensorType type = c.declared();
  if (!type.hasStaticShape())
    return c.mismatch("the result's shape must be static");
  return broadcastInto(c, c.emit.staticSizes(type.getShape()));
}

static LogicalResult dynamicBroadcastInDim(OpContext &c) {
  auto rank = static_cast<size_t>(c.declared().getRank());
  FailureOr<Sizes> sizes = c.indices(1, rank);
  if (failed(sizes))
    return failure();
  return broadcastInto(c, c.sizesOr(*sizes));
}

/// New dimensions in front.
static LogicalResult broadcast(OpContext &c) {
  FailureOr<SmallVector<int64_t>> added = c.integers("broadcast_sizes");
  if (failed(added))
    return failure();
  Sizes sizes = c.emit.staticSizes(*added);
  sizes.append(c.emit.sizesOf(c.in(0)));
  return c.result(c.emit.broadcastTo(c.in(0), sizes));
}

static LogicalResult reshape(OpContext &c) {
  RankedTensorType type = c.declared(), from = tensorTypeOf(c.in(0));
  if (!type.hasStaticShape())
    return c.mismatch("the result's shape must be static");
  if (from.hasStaticShape() && from.getNumElements() != type.getNumElements())
    return c.mismatch("the operand has " + Twine(from.getNumElements()) +
                      " elements, the result " + Twine(type.getNumElements()));
  return c.result(c.emit.reshape(c.in(0), c.emit.staticSizes(type.getShape())));
}

static LogicalResult dynamicReshape(OpContext &c) {
  auto rank = static_cast<size_t>(c.declared().getRank());
  FailureOr<Sizes> sizes = c.indices(1, rank);
  if (failed(sizes))
    return failure();
  return c.result(c.emit.reshape(c.in(0), c.sizesOr(*sizes)));
}

static LogicalResult transpose(OpContext &c) {
  FailureOr<SmallVector<int64_t>> order = c.dimensions("permutation", c.rank());
  if (failed(order))
    return failure();
  if (static_cast<int64_t>(order->size()) != c.rank())
    return c.mismatch("'permutation' has " + Twine(order->size()) +
                      " values for an operand of shape " + shapeText(c.in(0)));
  return c.result(c.emit.transpose(c.in(0), *order));
}

static LogicalResult reverse(OpContext &c) {
  FailureOr<SmallVector<int64_t>> dims = c.dimensions("dimensions", c.rank());
  if (failed(dims))
    return failure();
  Emitter &emit = c.emit;
  Sizes sizes = emit.sizesOf(c.in(0));
  SmallVector<Value> extents = emit.asValues(sizes);
  Value operand = c.in(0);
  return c.resultByPlace(sizes, [&](OpBuilder &b, Location loc, ValueRange at) {
    SmallVector<Value> from(at);
    Value one = indexConstant(b, loc, 1);
    for (int64_t dim : *dims) {
      auto d = static_cast<size_t>(dim);
      from[d] = indexSub(b, loc, indexSub(b, loc, extents[d], one), from[d]);
    }
    return extractElement(b, loc, operand, from);
  });
}

static LogicalResult concatenate(OpContext &c) {
  FailureOr<int64_t> along = c.integer("dimension");
  if (failed(along))
    return failure();
  SmallVector<Value> tensors;
  Emitter &emit = c.emit;
  for (size_t i = 0; i < c.inputCount(); ++i) {
    bool fits = c.dtype(i) == c.dtype() && c.rank(i) == c.rank() &&
                *along >= 0 && *along < c.rank();
    Sizes first = emit.sizesOf(c.in(0)), own = emit.sizesOf(c.in(i));
    for (size_t dim = 0; fits && dim < own.size(); ++dim) {
      std::optional<int64_t> a = emit.known(first[dim]);
      std::optional<int64_t> b = emit.known(own[dim]);
      fits = static_cast<int64_t>(dim) == *along || !a || !b || *a == *b;
      if (fits && static_cast<int64_t>(dim) != *along)
        emit.requireSame(first[dim], own[dim], "the operands don't fit");
    }
    if (!fits)
      return c.mismatch(
          "operand " + Twine(i) + " of shape " + shapeText(c.in(i)) +
          " doesn't fit operand 0 of shape " + shapeText(c.in(0)) +
          " along dimension " + Twine(*along));
    tensors.push_back(c.in(i));
  }
  return c.result(emit.concat(*along, tensors));
}

static LogicalResult sameValues(OpContext &c) {
  for (size_t i = 0; i < c.resultCount() && i < c.inputCount(); ++i)
    c.results[i] = c.value(i);
  return success();
}

static LogicalResult dimensionSize(OpContext &c) {
  FailureOr<int64_t> dim = c.integer("dimension");
  if (failed(dim))
    return failure();
  if (*dim < 0 || *dim >= c.rank())
    return c.error("'dimension' is " + Twine(*dim) + ", the operand has " +
                   Twine(c.rank()));
  OpFoldResult size = c.emit.sizesOf(c.in(0))[static_cast<size_t>(*dim)];
  return c.result(
      c.emit.fromElements({size}, /*isScalar=*/true, c.resultType()));
}

void lh::addShapeOps(HloTable &t) {
  t["stablehlo.constant"] = {0, 0, 1, 0, constant};
  t["stablehlo.iota"] = {0, 0, 1, 0, iota};
  t["stablehlo.dynamic_iota"] = {1, 1, 1, 0, dynamicIota};
  t["stablehlo.broadcast_in_dim"] = {1, 1, 1, 0, broadcastInDim};
  t["stablehlo.dynamic_broadcast_in_dim"] = {2, 2, 1, 0, dynamicBroadcastInDim};
  t["stablehlo.broadcast"] = {1, 1, 1, 0, broadcast};
  t["stablehlo.reshape"] = {1, 1, 1, 0, reshape};
  t["stablehlo.dynamic_reshape"] = {2, 2, 1, 0, dynamicReshape};
  t["stablehlo.transpose"] = {1, 1, 1, 0, transpose};
  t["stablehlo.reverse"] = {1, 1, 1, 0, reverse};
  t["stablehlo.concatenate"] = {1, HloRow::any, 1, 0, concatenate};
  t["stablehlo.optimization_barrier"] = {0, HloRow::any, HloRow::any, 0,
                                         sameValues};
  t["stablehlo.get_dimension_size"] = {1, 1, 1, 0, dimensionSize};
}
