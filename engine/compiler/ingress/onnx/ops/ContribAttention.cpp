// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and MultiHeadAttention of the domain com.microsoft.
#include "compiler/ingress/onnx/OpTable.h"
#include "compiler/ingress/onnx/ops/Attention.h"
#include "compiler/ingress/onnx/ops/LayerNormalization.h"

using namespace lh;
using namespace mlir;

namespace {
/// What both operators attend with: operands by heads, of elements of `dtype`.
struct Heads {
  Value query, key, value;
  OpFoldResult pastLength;
  DType dtype = DType::Float32;
};
} // namespace

/// The part of `tensor` between two places of one dimension.
static Value sliceAlong(Emitter &emit, Value tensor, size_t dim,
                        OpFoldResult from, OpFoldResult size) {
  Sizes sizes = emit.sizesOf(tensor);
  Sizes start(sizes.size(), emit.index(0)), ones(sizes.size(), emit.index(1));
  start[dim] = from;
  sizes[dim] = size;
  return emit.slice(tensor, start, sizes, ones);
}

/// Element `at` of dimension `dim`, which goes.
static Value pick(Emitter &emit, Value tensor, size_t dim, int64_t at) {
  Value part = sliceAlong(emit, tensor, dim, emit.index(at), emit.index(1));
  Sizes sizes = emit.sizesOf(part);
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dim));
  return emit.reshape(part, sizes);
}

static FailureOr<Value> added(NodeContext &node, Value tensor, Value bias,
                              DType dtype) {
  return node.map({tensor, bias}, dtype,
                  [&](OpBuilder &b, Location loc, ValueRange v) {
                    return Scalars(b, loc, dtype).add(v[0], v[1]);
                  });
}

/// The mask in input `i` as one or two tensors that broadcast to the scores.
/// It is given as (batch) lengths, (2 * batch) ends and starts, (batch, keys)
/// or (batch, queries, keys).
static FailureOr<SmallVector<Value>> spreadMask(NodeContext &node,
                                                const Sizes &scores, size_t i) {
  Emitter &emit = node.emit;
  Value mask = node.in(i);
  Sizes own = emit.sizesOf(mask);
  OpFoldResult one = emit.index(1);
  if (own.size() > 1)
    return SmallVector<Value>{emit.reshape(
        mask, {own[0], one, own.size() == 3 ? own[1] : one, own.back()})};
  Sizes perBatch{scores[0], one, one, one};
  std::optional<int64_t> given = emit.known(own[0]);
  std::optional<int64_t> batch = emit.known(scores[0]);
  if (!given || !batch || *given == *batch)
    return SmallVector<Value>{emit.reshape(mask, perBatch)};
  if (*given != 2 * *batch)
    return node.error("a mask of shape " + shapeText(mask) +
                          " is not supported for a batch of " + Twine(*batch),
                      DiagKind::IngressUnsupportedOp);
  Value ends = sliceAlong(emit, mask, 0, emit.index(0), scores[0]);
  Value starts = sliceAlong(emit, mask, 0, scores[0], scores[0]);
  return SmallVector<Value>{emit.reshape(ends, perBatch),
                            emit.reshape(starts, perBatch)};
}

/// What a mask of integers hides is filtered by a large negative number.
static FailureOr<Value> filtered(NodeContext &node, Value scores, size_t i,
                                 DType dtype) {
  int64_t rank = node.rank(i);
  if (node.dtype(i) != DType::Int32 || rank < 1 || rank > 3)
    return node.error("a mask must be of int32 and of rank 1 to 3",
                      DiagKind::IngressUnsupportedOp);
  Sizes sizes = node.emit.sizesOf(scores);
  FailureOr<SmallVector<Value>> masks = spreadMask(node, sizes, i);
  if (failed(masks))
    return failure();
  SmallVector<Value> inputs{scores};
  for (Value mask : *masks) {
    if (failed(checkBroadcast(node, mask, scores, "a mask")))
      return failure();
    inputs.push_back(mask);
  }
  double filter = node.number("mask_filter_value", -10000);
  return node.emit.mapTo(
      sizes, inputs, node.typeOf(dtype),
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, dtype), integers(b, loc, DType::Int32);
        // A key counts when it is before the length, or its mask is positive.
        Value key = rank == 1 ? fromIndex(b, loc, Emitter::loopIndex(b, loc, 3),
                                          DType::Int32)
                              : integers.integer(0);
        Value penalty = s.number(filter);
        Value addend = s.select(integers.less(key, v[1]), s.number(0), penalty);
        if (v.size() > 2)
          addend = s.select(integers.less(key, v[2]), penalty, addend);
        return s.add(v[0], addend);
      });
}

/// The output of the attention of `heads`, merged; `mask` and `bias` are
/// inputs.
static LogicalResult attendHeads(NodeContext &node, const Heads &heads,
                                 size_t mask, size_t bias) {
  Emitter &emit = node.emit;
  DType dtype = heads.dtype;
  if (failed(checkAttention(node, heads.query, heads.key, heads.value)))
    return failure();
  Value scale = attentionScale(node, node.number("scale", 0),
                               emit.sizesOf(heads.query)[3], dtype);
  FailureOr<Value> scores =
      emitScores(node, heads.query, heads.key, scale, dtype);
  if (node.has(mask))
    scores = filtered(node, *scores, mask, dtype);
  if (succeeded(scores) && node.has(bias))
    scores = emitMask(node, *scores, node.in(bias), node.dtype(bias), dtype);
  if (failed(scores))
    return failure();
  KeyReach reach;
  reach.after = node.integer("unidirectional", 0) != 0 ? 0 : -1;
  reach.offset = heads.pastLength ? heads.pastLength : emit.index(0);
  Value reached = emitReach(node, *scores, reach, dtype);
  Value result = emitAttended(node, emitRowSoftmax(node, reached, dtype),
                              heads.value, dtype);
  return node.result(mergeHeads(node, result), dtype);
}

/// The sizes of the parts of a projection: given, or three equal ones.
static FailureOr<SmallVector<int64_t>> projectedSizes(NodeContext &node,
                                                      int64_t heads) {
  std::optional<int64_t> width =
      node.emit.known(node.emit.sizesOf(node.in(1))[1]);
  if (!width)
    return node.error("the width of the weights must be known at import",
                      DiagKind::IngressUnsupportedOp);
  SmallVector<int64_t> sizes(3, *width / 3);
  if (std::optional<std::vector<int64_t>> given =
          node.integers("qkv_hidden_sizes"))
    sizes.assign(given->begin(), given->end());
  bool fits = sizes.size() == 3 && heads > 0 && sizes[0] == sizes[1];
  int64_t total = 0;
  for (int64_t size : sizes) {
    fits = fits && size > 0 && size <= *width && size % heads == 0;
    total += fits ? size : 0;
  }
  if (fits && total == *width)
    return sizes;
  return node.error("weights of " + Twine(*width) +
                    " columns cannot be split into query, key and value of " +
                    Twine(heads) + " heads");
}

/// input x weights + bias, as query, key and value by heads.
static FailureOr<Heads> projected(NodeContext &node, int64_t heads) {
  Emitter &emit = node.emit;
  if (node.rank(0) != 3 || node.rank(1) != 2)
    return node.error("the input must be of rank 3 and the weights of rank 2");
  FailureOr<SmallVector<int64_t>> widths = projectedSizes(node, heads);
  if (failed(widths))
    return failure();
  DType dtype = node.dtype();
  FailureOr<Value> all = emitOnnxMatMul(node, node.in(0), node.in(1), dtype);
  if (failed(all))
    return failure();
  if (node.has(2)) {
    if (failed(checkBroadcast(node, node.in(2), *all, "a bias")))
      return failure();
    all = added(node, *all, node.in(2), dtype);
  }
  Heads result;
  result.dtype = dtype;
  int64_t from = 0;
  Value *const slots[] = {&result.query, &result.key, &result.value};
  for (size_t i = 0; i < 3; ++i) {
    Value part =
        sliceAlong(emit, *all, 2, emit.index(from), emit.index((*widths)[i]));
    from += (*widths)[i];
    FailureOr<Value> split = splitHeads(node, part, heads);
    if (failed(split))
      return failure();
    *slots[i] = *split;
  }
  return result;
}

/// Puts past keys and values, both in one tensor, before the new ones.
static LogicalResult prependPast(NodeContext &node, Heads &heads, size_t i) {
  Emitter &emit = node.emit;
  if (node.rank(i) != 5 || emit.known(emit.sizesOf(node.in(i))[0]) != 2)
    return node.error("the past must hold keys and values: (2, batch, heads, "
                      "length, size)");
  Value key = pick(emit, node.in(i), 0, 0),
        value = pick(emit, node.in(i), 0, 1);
  heads.pastLength = emit.sizesOf(key)[2];
  FailureOr<Value> keys = joinPast(node, key, heads.key);
  FailureOr<Value> values = joinPast(node, value, heads.value);
  if (failed(keys) || failed(values))
    return failure();
  heads.key = *keys;
  heads.value = *values;
  return success();
}

static LogicalResult refuseAttributes(NodeContext &node,
                                      ArrayRef<StringRef> names) {
  for (StringRef name : names)
    if (node.integer(name, 0) != 0)
      return node.error("'" + name + "' is not supported",
                        DiagKind::IngressUnsupportedOp);
  return success();
}

/// Inputs: input, weights, bias, mask, past, attention bias.
static LogicalResult contribAttention(NodeContext &node) {
  Emitter &emit = node.emit;
  if (failed(
          refuseAttributes(node, {"do_rotary", "past_present_share_buffer"})))
    return failure();
  FailureOr<Heads> heads = projected(node, node.integer("num_heads", 0));
  if (failed(heads) || (node.has(4) && failed(prependPast(node, *heads, 4))))
    return failure();
  if (node.wants(1)) {
    SmallVector<Value> parts;
    for (Value part : {heads->key, heads->value}) {
      Sizes sizes = emit.sizesOf(part);
      sizes.insert(sizes.begin(), emit.index(1));
      parts.push_back(emit.reshape(part, sizes));
    }
    if (failed(checkSame(node, emit.sizesOf(parts[0])[4],
                         emit.sizesOf(parts[1])[4],
                         "the head sizes of a present of keys and values")))
      return failure();
    node.set(1, emit.concat(0, parts), heads->dtype);
  }
  return attendHeads(node, *heads, 3, 5);
}

/// Input `i`, (batch, sequence, hidden) plus its part of the bias, by heads.
static FailureOr<Value> biasedHeads(NodeContext &node, size_t i, int64_t heads,
                                    OpFoldResult from) {
  Emitter &emit = node.emit;
  Value tensor = node.in(i);
  if (node.rank(i) != 3)
    return node.error("input " + Twine(i) + " must be of rank 3");
  if (node.has(3)) {
    OpFoldResult width = emit.sizesOf(tensor)[2];
    std::optional<int64_t> end = emit.known(emit.add(from, width));
    std::optional<int64_t> length = emit.known(emit.sizesOf(node.in(3))[0]);
    if (end && length && *end > *length)
      return node.error("the bias has " + Twine(*length) +
                            " elements, but input " + Twine(i) + " needs " +
                            Twine(*end),
                        DiagKind::IngressShapeMismatch);
    FailureOr<Value> sum =
        added(node, tensor, sliceAlong(emit, node.in(3), 0, from, width),
              node.dtype());
    if (failed(sum))
      return failure();
    tensor = *sum;
  }
  return splitHeads(node, tensor, heads);
}

/// (batch, sequence, heads, count, size), element `at` of `count`, by heads.
static Value unpacked(NodeContext &node, size_t i, int64_t at) {
  Value part = pick(node.emit, node.in(i), 3, at);
  return node.emit.transpose(part, {0, 2, 1, 3});
}

/// Query, key and value may be packed into one tensor, or key and value; or
/// keys and values come by heads, for attention to another sequence.
static FailureOr<Heads> separateHeads(NodeContext &node, int64_t heads) {
  Emitter &emit = node.emit;
  Heads result;
  result.dtype = node.dtype();
  if (node.rank(0) == 5 && !node.has(3)) {
    result.query = unpacked(node, 0, 0);
    result.key = unpacked(node, 0, 1);
    result.value = unpacked(node, 0, 2);
    return result;
  }
  if (!node.has(1))
    return node.error("a key is needed");
  if (node.rank(0) != 3 || (node.has(3) && node.rank(3) != 1))
    return node.error("the query must be of rank 3 and the bias of rank 1");
  OpFoldResult width = emit.sizesOf(node.in(0))[2];
  FailureOr<Value> query = biasedHeads(node, 0, heads, emit.index(0));
  if (failed(query))
    return failure();
  result.query = *query;
  if (node.rank(1) == 5 && !node.has(3)) {
    result.key = unpacked(node, 1, 0);
    result.value = unpacked(node, 1, 1);
    return result;
  }
  if (!node.has(2))
    return node.error("a value is needed");
  if (node.rank(1) == 4 && node.rank(2) == 4) {
    result.key = node.in(1);
    result.value = node.in(2);
    return result;
  }
  FailureOr<Value> key = biasedHeads(node, 1, heads, width);
  FailureOr<Value> value =
      biasedHeads(node, 2, heads, emit.mul(width, emit.index(2)));
  if (failed(key) || failed(value))
    return failure();
  result.key = *key;
  result.value = *value;
  return result;
}

/// Inputs: query, key, value, bias, mask, attention bias, past key and value.
static LogicalResult multiHeadAttention(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<Heads> heads = separateHeads(node, node.integer("num_heads", 0));
  if (failed(heads))
    return failure();
  for (size_t i : {6, 7}) {
    if (!node.has(i))
      continue;
    Value &recent = i == 6 ? heads->key : heads->value;
    FailureOr<Value> joined = joinPast(node, node.in(i), recent);
    if (failed(joined))
      return failure();
    recent = *joined;
    heads->pastLength = emit.sizesOf(node.in(i))[2];
  }
  node.set(1, heads->key, heads->dtype);
  node.set(2, heads->value, heads->dtype);
  return attendHeads(node, *heads, 4, 5);
}

namespace lh {
void addContribAttentionOps(OpTable &table) {
  using namespace OpRule;
  unsigned real = Float | WidenHalf;
  table.add("com.microsoft.Attention", {1, 2, real, contribAttention});
  table.add("com.microsoft.MultiHeadAttention",
            {1, 1, real, multiHeadAttention});
}
} // namespace lh
