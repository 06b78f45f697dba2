// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pieces of scaled dot-product attention.
#include "compiler/ingress/onnx/ops/Attention.h"

#include "compiler/ingress/emit/Products.h"
#include "compiler/ingress/onnx/ops/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace lh;
using namespace mlir;

DType lh::computedType(DType dtype) {
  return dtype == DType::Float64 ? DType::Float64 : DType::Float32;
}

LogicalResult lh::checkSame(NodeContext &node, OpFoldResult a, OpFoldResult b,
                            const Twine &what) {
  std::optional<int64_t> x = node.emit.known(a), y = node.emit.known(b);
  if (!x || !y || *x == *y) {
    node.emit.requireSame(a, b, what + " must agree");
    return success();
  }
  return node.error(what + " must agree, but are " + Twine(*x) + " and " +
                        Twine(*y),
                    DiagKind::IngressShapeMismatch);
}

FailureOr<Value> lh::splitHeads(NodeContext &node, Value tensor,
                                int64_t heads) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(tensor);
  std::optional<int64_t> hidden = emit.known(sizes[2]);
  if (heads < 1 || (hidden && *hidden % heads != 0))
    return node.error("a hidden size of " + shapeText(tensor) +
                      " cannot be split into " + Twine(heads) + " heads");
  OpFoldResult size = emit.floorDiv(sizes[2], heads);
  Value split =
      emit.reshape(tensor, {sizes[0], sizes[1], emit.index(heads), size});
  return emit.transpose(split, {0, 2, 1, 3});
}

Value lh::mergeHeads(NodeContext &node, Value tensor) {
  Emitter &emit = node.emit;
  Value bySequence = emit.transpose(tensor, {0, 2, 1, 3});
  Sizes sizes = emit.sizesOf(bySequence);
  return emit.reshape(bySequence,
                      {sizes[0], sizes[1], emit.mul(sizes[2], sizes[3])});
}

FailureOr<Value> lh::joinPast(NodeContext &node, Value past, Value recent) {
  if (rankOf(past) != 4)
    return node.error("past keys and values must be of rank 4, but are " +
                      shapeText(past));
  Sizes before = node.emit.sizesOf(past), now = node.emit.sizesOf(recent);
  for (size_t dim : {0, 1, 3})
    if (failed(checkSame(node, before[dim], now[dim],
                         "the sizes of past and present")))
      return failure();
  return node.emit.concat(2, {past, recent});
}

LogicalResult lh::checkAttention(NodeContext &node, Value query, Value key,
                                 Value value) {
  Emitter &emit = node.emit;
  Sizes q = emit.sizesOf(query), k = emit.sizesOf(key), v = emit.sizesOf(value);
  if (failed(checkSame(node, q[0], k[0], "the batches of query and key")) ||
      failed(checkSame(node, k[0], v[0], "the batches of key and value")) ||
      failed(checkSame(node, k[1], v[1], "the heads of key and value")) ||
      failed(checkSame(node, k[2], v[2], "the lengths of key and value")) ||
      failed(checkSame(node, q[3], k[3], "the head sizes of query and key")))
    return failure();
  if (emit.same(q[1], k[1]))
    return success();
  std::optional<int64_t> heads = emit.known(q[1]), shared = emit.known(k[1]);
  if (heads && shared && *shared > 0 && *heads % *shared == 0)
    return success();
  return node.error("the heads of the query (" + shapeText(query) +
                        ") must be a known multiple of those of the key (" +
                        shapeText(key) + ")",
                    DiagKind::IngressShapeMismatch);
}

Value lh::attentionScale(NodeContext &node, double scale, OpFoldResult headSize,
                         DType dtype) {
  Emitter &emit = node.emit;
  Scalars s = node.scalars(dtype);
  if (scale != 0)
    return s.number(scale);
  if (std::optional<int64_t> size = emit.known(headSize))
    return s.number(1 / std::sqrt(static_cast<double>(*size)));
  Value size =
      fromIndex(emit.builder, emit.loc, emit.asValue(headSize), DType::Int64);
  size = convertScalar(emit.builder, emit.loc, size, DType::Int64, dtype);
  Value root = math::SqrtOp::create(emit.builder, emit.loc, size);
  return s.div(s.number(1), root);
}

/// The rows of all query heads that share a key head, one after the other.
static OpFoldResult sharedRows(Emitter &emit, const Sizes &query,
                               const Sizes &key) {
  if (emit.same(query[1], key[1]))
    return query[2];
  if (emit.known(query[1]) && emit.known(key[1]))
    return emit.mul(emit.divide(query[1], key[1]), query[2]);
  return emit.divide(emit.mul(query[1], query[2]), key[1]);
}

Value lh::emitScores(NodeContext &node, Value query, Value key, Value scale,
                     DType dtype) {
  Emitter &emit = node.emit;
  // The specification scales both operands by the root; that is the same but
  // for rounding, and would copy all keys.
  Value scaled = emit.map({query}, node.typeOf(dtype),
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            return Scalars(b, loc, dtype).mul(v[0], scale);
                          });
  Sizes q = emit.sizesOf(query), k = emit.sizesOf(key);
  OpFoldResult batch = emit.mul(k[0], k[1]);
  Value rows = emit.reshape(scaled, {batch, sharedRows(emit, q, k), k[3]});
  Value columns = emit.reshape(key, {batch, k[2], k[3]});
  Value product = emitBatchMatmul(emit, rows, columns, true, dtype);
  return emit.reshape(product, {q[0], q[1], q[2], k[2]});
}

Value lh::emitAttended(NodeContext &node, Value probabilities, Value value,
                       DType dtype) {
  Emitter &emit = node.emit;
  Sizes p = emit.sizesOf(probabilities), v = emit.sizesOf(value);
  OpFoldResult batch = emit.mul(v[0], v[1]);
  Value rows =
      emit.reshape(probabilities, {batch, sharedRows(emit, p, v), p[3]});
  Value columns = emit.reshape(value, {batch, v[2], v[3]});
  Value product = emitBatchMatmul(emit, rows, columns, false, dtype);
  return emit.reshape(product, {p[0], p[1], p[2], v[3]});
}

Value lh::emitSoftcap(NodeContext &node, Value scores, double cap,
                      DType dtype) {
  return node.emit.map({scores}, node.typeOf(dtype),
                       [&](OpBuilder &b, Location loc, ValueRange v) {
                         Scalars s(b, loc, dtype);
                         Value limit = s.number(cap);
                         Value bent =
                             math::TanhOp::create(b, loc, s.div(v[0], limit));
                         return s.mul(bent, limit);
                       });
}

/// i1: the key at loop 3 is out of reach of the query at loop 2. `length` is
/// of the batch, or no value.
static Value isOutOfReach(OpBuilder &b, Location loc, const KeyReach &reach,
                          Value offset, Value length) {
  Value key = Emitter::loopIndex(b, loc, 3);
  Value position = indexAdd(b, loc, Emitter::loopIndex(b, loc, 2), offset);
  Value out;
  auto also = [&](Value condition) {
    out = out ? Value(arith::OrIOp::create(b, loc, out, condition)) : condition;
  };
  if (reach.after >= 0) {
    Value size = indexConstant(b, loc, reach.after);
    also(indexLess(b, loc, indexAdd(b, loc, position, size), key));
  }
  if (reach.before >= 0) {
    Value size = indexConstant(b, loc, reach.before);
    also(indexLess(b, loc, indexAdd(b, loc, key, size), position));
  }
  if (length)
    also(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, key, length));
  return out;
}

Value lh::emitReach(NodeContext &node, Value scores, const KeyReach &reach,
                    DType dtype) {
  Emitter &emit = node.emit;
  if (!reach.limits())
    return scores;
  Sizes sizes = emit.sizesOf(scores);
  SmallVector<Value> inputs{scores};
  Value queries = emit.asValue(sizes[2]);
  Value fixed = reach.offset ? emit.asValue(reach.offset) : Value();
  if (reach.lengths)
    inputs.push_back(
        emit.reshape(reach.lengths,
                     {sizes[0], emit.index(1), emit.index(1), emit.index(1)}));
  return emit.mapTo(
      sizes, inputs, node.typeOf(dtype),
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, dtype);
        Value length =
            v.size() > 1 ? toIndex(b, loc, v[1], reach.lengthType) : Value();
        Value offset = fixed ? fixed : indexSub(b, loc, length, queries);
        Value out = isOutOfReach(b, loc, reach, offset, length);
        return s.select(out, s.lowest(), v[0]);
      });
}

FailureOr<Value> lh::emitMask(NodeContext &node, Value scores, Value mask,
                              DType maskType, DType dtype) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(scores);
  FailureOr<Sizes> spread = emit.broadcastSizes({scores, mask});
  bool fits = succeeded(spread) && spread->size() == sizes.size();
  for (size_t dim = 0; fits && dim < sizes.size(); ++dim)
    fits = !emit.known(sizes[dim]) || emit.same((*spread)[dim], sizes[dim]);
  if (!fits)
    return node.error("a mask of shape " + shapeText(mask) +
                          " does not broadcast to scores of shape " +
                          shapeText(scores),
                      DiagKind::IngressShapeMismatch);
  return emit.mapTo(sizes, {scores, mask}, node.typeOf(dtype),
                    [&](OpBuilder &b, Location loc, ValueRange v) {
                      Scalars s(b, loc, dtype);
                      if (maskType == DType::Bool)
                        return s.select(s.fromBool(v[1]), v[0], s.lowest());
                      return s.add(
                          v[0], convertScalar(b, loc, v[1], maskType, dtype));
                    });
}

Value lh::emitRowSoftmax(NodeContext &node, Value scores, DType dtype) {
  Emitter &emit = node.emit;
  Type type = node.typeOf(dtype);
  SmallVector<bool> last(static_cast<size_t>(rankOf(scores)), false);
  last.back() = true;
  Value largest = emitMax(node, scores, last, dtype);
  Value powers =
      emit.map({scores, emit.unreduce(largest, last)}, type,
               [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                 // -inf less -inf would be NaN.
                 Scalars s(b, loc, dtype);
                 Value isNothing = s.equal(v[1], s.lowest());
                 Value from = s.select(isNothing, s.number(0), v[1]);
                 return math::ExpOp::create(b, loc, s.sub(v[0], from));
               });
  Value sum = emitSum(node, powers, last, dtype);
  return emit.map({powers, emit.unreduce(sum, last)}, type,
                  [&](OpBuilder &b, Location loc, ValueRange v) {
                    Scalars s(b, loc, dtype);
                    Value isNothing = s.equal(v[1], s.number(0));
                    return s.div(v[0], s.select(isNothing, s.number(1), v[1]));
                  });
}
