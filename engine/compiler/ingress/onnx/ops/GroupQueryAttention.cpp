// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GroupQueryAttention of the domain com.microsoft: keys and values are kept in
// buffers that may be longer than what they hold.
#include "compiler/ingress/onnx/ops/Attention.h"
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Rotary.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace lh;
using namespace mlir;

/// More heads are no model's.
static constexpr int64_t maxHeads = 1 << 20;

namespace {
/// Lengths of a batch's sequences. `past` are the keys from earlier steps.
struct Sequences {
  Value past;          ///< (batch), of int64
  Value held;          ///< (batch): past and recent, of int64
  OpFoldResult buffer; ///< keys that the buffer has room for
};

struct Operands {
  Value query, key, value; ///< by heads
};
} // namespace

/// Inputs 5 and 6: keys held less one, per batch; and the most that are held.
/// When the most are no more than the queries, nothing is from earlier steps.
static FailureOr<Sequences> readSequences(NodeContext &node,
                                          OpFoldResult queries) {
  Emitter &emit = node.emit;
  if (!node.has(5) || !node.has(6) || isFloat(node.dtype(5)) ||
      node.rank(5) < 1 || node.rank(5) > 2)
    return node.error("'seqlens_k' and 'total_sequence_length' must be "
                      "integers");
  FailureOr<Sizes> total = node.elements(6);
  if (failed(total) || total->size() != 1)
    return failed(total) ? failure()
                         : node.error("'total_sequence_length' must be one "
                                      "number");
  Sequences result;
  OpFoldResult past = node.has(3) ? emit.sizesOf(node.in(3))[2] : emit.index(0);
  result.buffer = emit.max(total->front(), past);
  Value isPrompt = arith::CmpIOp::create(
      emit.builder, emit.loc, arith::CmpIPredicate::eq, emit.asValue(queries),
      emit.asValue(total->front()));
  Value recent =
      fromIndex(emit.builder, emit.loc, emit.asValue(queries), DType::Int64);
  Value lengths = emit.reshape(node.in(5), {emit.sizesOf(node.in(0))[0]});
  Type wide = node.typeOf(DType::Int64);
  result.past =
      emit.map({lengths}, wide, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, DType::Int64);
        Value held = convertScalar(b, loc, v[0], node.dtype(5), s.dtype);
        held = s.add(held, s.integer(1));
        Value before = s.max(s.sub(held, recent), s.integer(0));
        return s.select(isPrompt, s.integer(0), before);
      });
  result.held = emit.map(
      {result.past}, wide, [&](OpBuilder &b, Location loc, ValueRange v) {
        return Scalars(b, loc, DType::Int64).add(v[0], recent);
      });
  return result;
}

/// Query, key and value may be packed side by side in the query.
static FailureOr<Operands> readOperands(NodeContext &node) {
  Emitter &emit = node.emit;
  int64_t heads = node.integer("num_heads", 0);
  int64_t shared = node.integer("kv_num_heads", 0);
  bool isPacked = !node.has(1) && !node.has(2);
  if (heads < 1 || shared < 1 || heads > maxHeads || heads % shared != 0 ||
      node.rank(0) != 3 ||
      (!isPacked && (!node.has(1) || !node.has(2) || node.rank(1) != 3 ||
                     node.rank(2) != 3)))
    return node.error("query, key and value must be of rank 3, and "
                      "'num_heads' a multiple of 'kv_num_heads'");
  if (!isPacked) {
    FailureOr<Value> query = splitHeads(node, node.in(0), heads);
    FailureOr<Value> key = splitHeads(node, node.in(1), shared);
    FailureOr<Value> value = splitHeads(node, node.in(2), shared);
    if (failed(query) || failed(key) || failed(value))
      return failure();
    return Operands{*query, *key, *value};
  }
  FailureOr<Value> all = splitHeads(node, node.in(0), heads + 2 * shared);
  if (failed(all))
    return failure();
  auto part = [&](int64_t from, int64_t count) {
    Sizes sizes = emit.sizesOf(*all), start(4, emit.index(0));
    sizes[1] = emit.index(count);
    start[1] = emit.index(from);
    return emit.slice(*all, start, sizes, Sizes(4, emit.index(1)));
  };
  return Operands{part(0, heads), part(heads, shared),
                  part(heads + shared, shared)};
}

/// Turns query and key by the angles of their positions: those of input 9, or
/// the ones that follow on the past.
static LogicalResult rotate(NodeContext &node, const Sequences &sequences,
                            Operands &operands) {
  Emitter &emit = node.emit;
  if (!node.has(7) || !node.has(8) || node.rank(7) != 2 || node.rank(8) != 2 ||
      node.dtype(7) != node.dtype() || node.dtype(8) != node.dtype())
    return node.error("rotation needs caches of cosines and sines of the type "
                      "of the query");
  if (node.has(9) && (node.rank(9) != 2 || isFloat(node.dtype(9))))
    return node.error("'position_ids' must be an integer matrix");
  auto position = [&](OpBuilder &b, Location loc, Value row, Value column) {
    if (node.has(9))
      return toIndex(b, loc, extractElement(b, loc, node.in(9), {row, column}),
                     node.dtype(9));
    Value past = extractElement(b, loc, sequences.past, {row});
    return indexAdd(b, loc, toIndex(b, loc, past, DType::Int64), column);
  };
  Sizes sizes = emit.sizesOf(operands.query);
  Rotation rotation;
  rotation.isInterleaved = node.integer("rotary_interleaved", 0) != 0;
  std::optional<int64_t> pairs = emit.known(emit.sizesOf(node.in(7))[1]);
  std::optional<int64_t> size = emit.known(sizes[3]);
  if (pairs && size && 2 * *pairs > *size)
    return node.error("a head of " + Twine(*size) +
                          " elements has fewer than " + Twine(*pairs) +
                          " pairs",
                      DiagKind::IngressShapeMismatch);
  if (failed(checkSame(node, emit.sizesOf(node.in(7))[1],
                       emit.sizesOf(node.in(8))[1], "the caches' widths")))
    return failure();
  rotation.cosines = gatherRotation(node, node.in(7), sizes[0], sizes[2],
                                    position, node.dtype());
  rotation.sines = gatherRotation(node, node.in(8), sizes[0], sizes[2],
                                  position, node.dtype());
  operands.query = emitRotation(node, operands.query, rotation, node.dtype());
  operands.key = emitRotation(node, operands.key, rotation, node.dtype());
  return success();
}

/// The buffer after this step: what was held, what is `recent`, and zeros.
static FailureOr<Value> updatedBuffer(NodeContext &node, size_t i, Value recent,
                                      const Sequences &sequences) {
  Emitter &emit = node.emit;
  DType dtype = node.dtype();
  OpFoldResult room = emit.index(0);
  Value both = recent;
  if (node.has(i)) {
    FailureOr<Value> joined = joinPast(node, node.in(i), recent);
    if (failed(joined))
      return failure();
    both = *joined;
    room = emit.sizesOf(node.in(i))[2];
  }
  Sizes sizes = emit.sizesOf(recent);
  sizes[2] = sequences.buffer;
  Value last = emit.asValue(emit.sub(emit.sizesOf(both)[2], emit.index(1)));
  Value oldRoom = emit.asValue(room);
  return emit.generate(
      sizes, node.typeOf(dtype),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Scalars s(b, loc, dtype);
        auto lengthOf = [&](Value lengths) {
          return toIndex(b, loc, extractElement(b, loc, lengths, {at[0]}),
                         DType::Int64);
        };
        Value past = lengthOf(sequences.past), held = lengthOf(sequences.held);
        Value moved = indexAdd(b, loc, indexSub(b, loc, at[2], past), oldRoom);
        Value from =
            indexSelect(b, loc, indexLess(b, loc, at[2], past), at[2], moved);
        from = arith::MinSIOp::create(b, loc, from, last);
        Value element =
            extractElement(b, loc, both, {at[0], at[1], from, at[3]});
        return s.select(indexLess(b, loc, at[2], held), element, s.number(0));
      });
}

static LogicalResult attendBuffers(NodeContext &node, const Operands &operands,
                                   const Sequences &sequences) {
  Emitter &emit = node.emit;
  DType dtype = node.dtype();
  if (failed(
          checkAttention(node, operands.query, operands.key, operands.value)))
    return failure();
  Value scale = attentionScale(node, node.number("scale", 0),
                               emit.sizesOf(operands.query)[3], dtype);
  FailureOr<Value> scores =
      emitScores(node, operands.query, operands.key, scale, dtype);
  if (double cap = node.number("softcap", 0); cap != 0)
    scores = emitSoftcap(node, *scores, cap, dtype);
  if (node.has(10))
    scores = emitMask(node, *scores, node.in(10), node.dtype(10), dtype);
  if (failed(scores))
    return failure();
  KeyReach reach;
  reach.after = 0;
  reach.lengths = sequences.held;
  int64_t window = node.integer("local_window_size", -1);
  if (window > 0 && window < std::numeric_limits<int32_t>::max())
    reach.before = window - 1;
  Value probabilities =
      emitRowSoftmax(node, emitReach(node, *scores, reach, dtype), dtype);
  return node.result(mergeHeads(node, emitAttended(node, probabilities,
                                                   operands.value, dtype)),
                     dtype);
}

static LogicalResult groupQueryAttention(NodeContext &node) {
  for (StringRef name : {"smooth_softmax", "qk_output", "k_quant_type",
                         "v_quant_type", "kv_cache_bit_width"})
    if (node.attribute(name) &&
        (node.integer(name, 0) != 0 || !node.text(name, "").empty()))
      return node.error("'" + name + "' is not supported",
                        DiagKind::IngressUnsupportedOp);
  for (size_t i = 11; i < node.inputCount(); ++i)
    if (node.has(i))
      return node.error("input " + Twine(i) + " is not supported",
                        DiagKind::IngressUnsupportedOp);
  FailureOr<Operands> operands = readOperands(node);
  if (failed(operands))
    return failure();
  FailureOr<Sequences> sequences =
      readSequences(node, node.emit.sizesOf(operands->query)[2]);
  if (failed(sequences))
    return failure();
  if (node.integer("do_rotary", 0) != 0 &&
      failed(rotate(node, *sequences, *operands)))
    return failure();
  for (size_t i : {3, 4})
    if (node.has(i) && node.dtype(i) != node.dtype())
      return node.error("past and query must be of one type");
  FailureOr<Value> key = updatedBuffer(node, 3, operands->key, *sequences);
  FailureOr<Value> value = updatedBuffer(node, 4, operands->value, *sequences);
  if (failed(key) || failed(value))
    return failure();
  operands->key = *key;
  operands->value = *value;
  node.set(1, *key, node.dtype());
  node.set(2, *value, node.dtype());
  return attendBuffers(node, *operands, *sequences);
}

void lh::addGroupQueryAttentionOps(OpTable &table) {
  using namespace OpRule;
  table.add("com.microsoft.GroupQueryAttention",
            {1, 1, Float | WidenHalf, groupQueryAttention});
}
