// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RotaryEmbedding, and its pieces for GroupQueryAttention.
#include "compiler/ingress/onnx/ops/Rotary.h"

#include "compiler/ingress/onnx/ops/Attention.h"
#include "compiler/ingress/onnx/ops/Families.h"

using namespace lh;
using namespace mlir;

/// How a cache (batch or 1, sequence, half) is read in loops over `sizes`.
static AffineMap cacheMap(Emitter &emit, const Sizes &cache, const Sizes &sizes,
                          unsigned sequenceDim) {
  Builder &b = emit.builder;
  bool isShared = emit.known(cache[0]) == 1 && emit.known(sizes[0]) != 1;
  return AffineMap::get(
      4, 0,
      {isShared ? b.getAffineConstantExpr(0) : b.getAffineDimExpr(0),
       b.getAffineDimExpr(sequenceDim), b.getAffineDimExpr(3)},
      b.getContext());
}

/// The pairs (x, y) turned: (x cos - y sin, x sin + y cos).
static SmallVector<Value> turnPairs(NodeContext &node, Value x, Value y,
                                    const Rotation &r, DType dtype) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(x);
  AffineMap identity = emit.builder.getMultiDimIdentityMap(4);
  AffineMap cache =
      cacheMap(emit, emit.sizesOf(r.cosines), sizes, r.isHeadsFirst ? 2 : 1);
  Value first = emit.empty(sizes, node.typeOf(dtype));
  Value second = emit.empty(sizes, node.typeOf(dtype));
  return emit.genericMany(
      {x, y, r.cosines, r.sines},
      {identity, identity, cache, cache, identity, identity}, {first, second},
      {false, false, false, false},
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, dtype);
        return SmallVector<Value>{s.sub(s.mul(v[2], v[0]), s.mul(v[3], v[1])),
                                  s.add(s.mul(v[3], v[0]), s.mul(v[2], v[1]))};
      });
}

Value lh::emitRotation(NodeContext &node, Value tensor, const Rotation &r,
                       DType dtype) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(tensor), ones(4, emit.index(1));
  Sizes start(4, emit.index(0)), half = sizes, steps = ones;
  half[3] = emit.sizesOf(r.cosines)[2];
  OpFoldResult width = emit.mul(half[3], emit.index(2));
  Sizes second = start;
  second[3] = r.isInterleaved ? emit.index(1) : half[3];
  if (r.isInterleaved)
    steps[3] = emit.index(2);
  Value x = emit.slice(tensor, start, half, steps);
  Value y = emit.slice(tensor, second, half, steps);
  SmallVector<Value> turned = turnPairs(node, x, y, r, dtype);
  if (r.isInterleaved) {
    Sizes single = half;
    single.push_back(emit.index(1));
    for (Value &part : turned)
      part = emit.reshape(part, single);
    Sizes whole = sizes;
    whole[3] = width;
    turned = {emit.reshape(emit.concat(4, turned), whole)};
  }
  if (!emit.same(width, sizes[3])) {
    Sizes rest = sizes;
    rest[3] = emit.sub(sizes[3], width);
    start[3] = width;
    turned.push_back(emit.slice(tensor, start, rest, ones));
  }
  Value result = emit.concat(3, turned);
  return emit.remember(emit.castTo(result, tensorTypeOf(tensor)), sizes);
}

Value lh::gatherRotation(NodeContext &node, Value cache, OpFoldResult batch,
                         OpFoldResult sequence, PositionOf position,
                         DType dtype) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(cache);
  Value rows = emit.asValue(sizes[0]);
  return emit.generate({batch, sequence, sizes[1]}, node.typeOf(dtype),
                       [&](OpBuilder &b, Location loc, ValueRange at) {
                         Value row = normalizeIndex(
                             b, loc, position(b, loc, at[0], at[1]), rows);
                         return extractElement(b, loc, cache, {row, at[2]});
                       });
}

FailureOr<Value> lh::trimCache(NodeContext &node, Value cache,
                               OpFoldResult half) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(cache);
  if (emit.same(sizes.back(), half))
    return cache;
  std::optional<int64_t> own = emit.known(sizes.back());
  std::optional<int64_t> wanted = emit.known(half);
  if (own && wanted && *own < *wanted)
    return node.error("a cache of shape " + shapeText(cache) +
                          " has fewer than " + Twine(*wanted) + " angles",
                      DiagKind::IngressShapeMismatch);
  Sizes start(sizes.size(), emit.index(0)), ones(sizes.size(), emit.index(1));
  sizes.back() = half;
  return emit.slice(cache, start, sizes, ones);
}

FailureOr<OpFoldResult> lh::rotatedHalf(NodeContext &node, OpFoldResult size) {
  int64_t given = node.integer("rotary_embedding_dim", 0);
  std::optional<int64_t> known = node.emit.known(size);
  int64_t width = given != 0 ? given : known.value_or(0);
  if (width < 0 || width % 2 != 0 || (known && width > *known))
    return node.error("cannot rotate " + Twine(width) +
                      " elements of a head of " +
                      (known ? Twine(*known) : Twine("unknown")) +
                      " elements; an even number of them is needed");
  return given != 0 ? node.emit.index(width / 2) : node.emit.floorDiv(size, 2);
}

FailureOr<RotationInput> lh::rotationInput(NodeContext &node, int64_t heads) {
  Emitter &emit = node.emit;
  RotationInput input{node.in(0), node.rank(0) == 4};
  if (input.isHeadsFirst)
    return input;
  if (node.rank(0) != 3)
    return node.error("the input must be of rank 3 or 4");
  Sizes sizes = emit.sizesOf(input.tensor);
  std::optional<int64_t> hidden = emit.known(sizes[2]);
  if (heads < 1 || (hidden && *hidden % heads != 0))
    return node.error("the input of shape " + shapeText(input.tensor) +
                      " cannot be split into " + Twine(heads) +
                      " heads ('num_heads')");
  input.tensor =
      emit.reshape(input.tensor, {sizes[0], sizes[1], emit.index(heads),
                                  emit.floorDiv(sizes[2], heads)});
  return input;
}

/// Checks that the caches fit and puts them into `rotation`; without positions
/// they are (batch, sequence, half) themselves.
static LogicalResult readCaches(NodeContext &node, const Sizes &sizes,
                                OpFoldResult half, Rotation &rotation) {
  Emitter &emit = node.emit;
  bool hasPositions = node.has(3);
  OpFoldResult sequence = sizes[rotation.isHeadsFirst ? 2 : 1];
  int64_t rank = hasPositions ? 2 : 3;
  if (node.rank(1) != rank || node.rank(2) != rank)
    return node.error("the caches must be of rank " + Twine(rank) +
                      (hasPositions ? " with" : " without") +
                      " 'position_ids'");
  if (hasPositions && (isFloat(node.dtype(3)) || node.rank(3) != 2))
    return node.error("'position_ids' must be an integer matrix");
  for (size_t i : {1, 2}) {
    FailureOr<Value> cache = trimCache(node, node.in(i), half);
    if (failed(cache))
      return failure();
    Sizes own = emit.sizesOf(hasPositions ? node.in(3) : *cache);
    if (failed(checkSame(node, own[0], sizes[0], "the batches")) ||
        failed(checkSame(node, own[1], sequence, "the sequence lengths")))
      return failure();
    if (hasPositions)
      *cache = gatherRotation(
          node, *cache, sizes[0], sequence,
          [&](OpBuilder &b, Location loc, Value row, Value column) {
            Value id = extractElement(b, loc, node.in(3), {row, column});
            return toIndex(b, loc, id, node.dtype(3));
          },
          node.dtype());
    (i == 1 ? rotation.cosines : rotation.sines) = *cache;
  }
  return success();
}

static LogicalResult rotaryEmbedding(NodeContext &node) {
  if (node.dtype(1) != node.dtype() || node.dtype(2) != node.dtype())
    return node.error("the caches must have the type of the input");
  FailureOr<RotationInput> input =
      rotationInput(node, node.integer("num_heads", 0));
  if (failed(input))
    return failure();
  Sizes sizes = node.emit.sizesOf(input->tensor);
  FailureOr<OpFoldResult> half = rotatedHalf(node, sizes[3]);
  if (failed(half))
    return failure();
  Rotation rotation;
  rotation.isHeadsFirst = input->isHeadsFirst;
  rotation.isInterleaved = node.integer("interleaved", 0) != 0;
  if (failed(readCaches(node, sizes, *half, rotation)))
    return failure();
  Value result = emitRotation(node, input->tensor, rotation, node.dtype());
  return node.result(node.emit.reshape(result, node.emit.sizesOf(node.in(0))),
                     node.dtype());
}

void lh::addRotaryOps(OpTable &table) {
  using namespace OpRule;
  table.add("RotaryEmbedding", {23, 3, Float | WidenHalf, rotaryEmbedding});
}
