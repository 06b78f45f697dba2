// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of the default domain, from opset 23 on.
#include "compiler/ingress/onnx/ops/Attention.h"

#include "compiler/ingress/onnx/ops/Families.h"

#include <limits>

using namespace lh;
using namespace mlir;

namespace {
/// The operands by heads, in the types they are stored in.
struct AttentionOperands {
  Value query, key, value;
  OpFoldResult pastLength; ///< nothing without past keys
  bool isFlat = false;     ///< given as (batch, sequence, hidden)
};
} // namespace

/// Inputs 0 to 2 by heads.
static FailureOr<AttentionOperands> readAttentionOperands(NodeContext &node) {
  AttentionOperands operands;
  int64_t rank = node.rank(0);
  if ((rank != 3 && rank != 4) || node.rank(1) != rank || node.rank(2) != rank)
    return node.error("query, key and value must all be of rank 3 or 4");
  operands.isFlat = rank == 3;
  Value *const slots[] = {&operands.query, &operands.key, &operands.value};
  for (size_t i = 0; i < 3; ++i) {
    *slots[i] = node.in(i);
    if (!operands.isFlat)
      continue;
    FailureOr<Value> split =
        splitHeads(node, node.in(i),
                   node.integer(i == 0 ? "q_num_heads" : "kv_num_heads", 0));
    if (failed(split))
      return failure();
    *slots[i] = *split;
  }
  return operands;
}

/// Puts the elements of input `i` before `recent` along the sequence.
static LogicalResult prependPast(NodeContext &node, size_t i, size_t of,
                                 Value &recent) {
  if (!node.has(i))
    return success();
  if (node.dtype(i) != node.dtype(of))
    return node.error("inputs " + Twine(i) + " and " + Twine(of) +
                      " must be of one type");
  FailureOr<Value> joined = joinPast(node, node.in(i), recent);
  if (failed(joined))
    return failure();
  recent = *joined;
  return success();
}

/// A mask that ends before the last key excludes the keys behind its end.
static FailureOr<Value> reachingMask(NodeContext &node, OpFoldResult total) {
  Emitter &emit = node.emit;
  Value mask = node.in(3);
  Sizes sizes = emit.sizesOf(mask);
  if (sizes.empty() || emit.same(sizes.back(), total))
    return mask;
  // Before opset 24 a mask was only broadcast.
  if (node.opset < 24 && emit.known(sizes.back()) == 1)
    return mask;
  std::optional<int64_t> own = emit.known(sizes.back());
  std::optional<int64_t> wanted = emit.known(total);
  if (own && wanted && *own > *wanted)
    return node.error("the mask is longer (" + Twine(*own) +
                          ") than the keys (" + Twine(*wanted) + ")",
                      DiagKind::IngressShapeMismatch);
  Sizes low(sizes.size(), emit.index(0)), high = low;
  high.back() = emit.max(emit.index(0), emit.sub(total, sizes.back()));
  Value nothing = node.scalars(node.dtype(3)).lowest(); // false for a bool
  Value padded = emit.pad(mask, low, high, nothing);
  SmallVector<int64_t> shape(tensorTypeOf(padded).getShape());
  if (wanted)
    shape.back() = *wanted;
  padded =
      emit.castTo(padded, RankedTensorType::get(shape, node.elementType(3)));
  sizes.back() = total;
  return emit.remember(padded, sizes);
}

/// How far a query sees, an attribute of opset 25: -1 is without a limit.
static FailureOr<int64_t> windowSize(NodeContext &node, StringRef name) {
  int64_t size = node.integer(name, -1);
  if (size < -1)
    return node.error("'" + name + "' must not be below -1, but is " +
                      Twine(size));
  constexpr int64_t unlimited = std::numeric_limits<int32_t>::max();
  return size < unlimited ? size : -1;
}

/// What the attributes and optional inputs exclude, taken out of the scores.
static FailureOr<Value> biased(NodeContext &node,
                               const AttentionOperands &operands, Value scores,
                               DType dtype) {
  if (node.has(3)) {
    FailureOr<Value> mask =
        reachingMask(node, node.emit.sizesOf(scores).back());
    if (failed(mask))
      return failure();
    FailureOr<Value> sum = emitMask(node, scores, *mask, node.dtype(3), dtype);
    if (failed(sum))
      return failure();
    scores = *sum;
  }
  KeyReach reach;
  FailureOr<int64_t> before = windowSize(node, "left_window_size");
  FailureOr<int64_t> after = windowSize(node, "right_window_size");
  if (failed(before) || failed(after))
    return failure();
  reach.before = *before;
  reach.after = node.integer("is_causal", 0) != 0 ? 0 : *after;
  reach.offset = operands.pastLength;
  if (node.has(6)) {
    if (isFloat(node.dtype(6)) || node.rank(6) != 1)
      return node.error("'nonpad_kv_seqlen' must be a vector of integers");
    Sizes lengths = node.emit.sizesOf(node.in(6));
    if (failed(checkSame(node, lengths[0], node.emit.sizesOf(scores)[0],
                         "'nonpad_kv_seqlen' and the batch")))
      return failure();
    reach.lengths = node.in(6);
    reach.lengthType = node.dtype(6);
  } else if (!reach.offset) {
    reach.offset = node.emit.index(0);
  }
  return emitReach(node, scores, reach, dtype);
}

/// The softmax in the precision that the node asks for.
static FailureOr<Value> probabilitiesOf(NodeContext &node, Value scores,
                                        DType dtype) {
  if (!node.attribute("softmax_precision"))
    return emitRowSoftmax(node, scores, dtype);
  std::optional<DType> precision =
      dtypeOfOnnx(node.integer("softmax_precision", 0));
  if (!precision || !isFloat(*precision))
    return node.error("'softmax_precision' must be a float type");
  if (*precision == node.dtype(0))
    return emitRowSoftmax(node, scores, dtype);
  Emitter &emit = node.emit;
  DType wide = computedType(*precision);
  CastRules rules;
  rules.isModelCast = true;
  Value rounded = emit.convert(scores, dtype, *precision, rules);
  Value result =
      emitRowSoftmax(node, emit.convert(rounded, *precision, wide), wide);
  rounded = emit.convert(result, wide, *precision, rules);
  return emit.convert(rounded, *precision, dtype);
}

/// The optional last output: one of the stages of the scores.
static LogicalResult setStage(NodeContext &node, ArrayRef<Value> stages,
                              DType dtype) {
  int64_t mode = node.integer("qk_matmul_output_mode", 0);
  if (mode < 0 || mode >= static_cast<int64_t>(stages.size()))
    return node.error("'qk_matmul_output_mode' must be 0 to 3, not " +
                      Twine(mode));
  if (node.wants(3))
    node.set(3,
             node.emit.convert(stages[static_cast<size_t>(mode)], dtype,
                               node.dtype(0)),
             node.dtype(0));
  return success();
}

static LogicalResult attend(NodeContext &node,
                            const AttentionOperands &operands) {
  Emitter &emit = node.emit;
  if (failed(
          checkAttention(node, operands.query, operands.key, operands.value)))
    return failure();
  DType dtype = computedType(node.dtype(0));
  Value query = emit.convert(operands.query, node.dtype(0), dtype);
  Value key = emit.convert(operands.key, node.dtype(1), dtype);
  Value scale = attentionScale(node, node.number("scale", 0),
                               emit.sizesOf(query)[3], dtype);
  Value scores = emitScores(node, query, key, scale, dtype);
  double softcap = node.number("softcap", 0);
  Value capped =
      softcap != 0 ? emitSoftcap(node, scores, softcap, dtype) : scores;
  FailureOr<Value> masked = biased(node, operands, capped, dtype);
  if (failed(masked))
    return failure();
  FailureOr<Value> probabilities = probabilitiesOf(node, *masked, dtype);
  if (failed(probabilities) ||
      failed(setStage(node, {scores, capped, *masked, *probabilities}, dtype)))
    return failure();
  Value value = emit.convert(operands.value, node.dtype(2), dtype);
  Value result = emitAttended(node, *probabilities, value, dtype);
  if (operands.isFlat)
    result = mergeHeads(node, result);
  return node.result(emit.convert(result, dtype, node.dtype(0)), node.dtype(0));
}

static LogicalResult attention(NodeContext &node) {
  if (!isFloat(node.dtype(1)) || !isFloat(node.dtype(2)))
    return node.error("query, key and value must be floats");
  FailureOr<AttentionOperands> operands = readAttentionOperands(node);
  if (failed(operands))
    return failure();
  if (node.has(4) && node.rank(4) == 4)
    operands->pastLength = node.emit.sizesOf(node.in(4))[2];
  if (failed(prependPast(node, 4, 1, operands->key)) ||
      failed(prependPast(node, 5, 2, operands->value)))
    return failure();
  if (node.wants(1))
    node.set(1, operands->key, node.dtype(1));
  if (node.wants(2))
    node.set(2, operands->value, node.dtype(2));
  return attend(node, *operands);
}

void lh::addAttentionOps(OpTable &table) {
  table.add("Attention", {23, 3, OpRule::Float, attention});
}
