// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ai.onnx.preview.FlexAttention: attention with subgraphs that change the
// scores and the probabilities (ONNX's Operators.md).
#include "compiler/ingress/onnx/ops/Attention.h"
#include "compiler/ingress/onnx/ops/Families.h"

using namespace lh;
using namespace mlir;

/// What the subgraph `name`, if the node has it, makes of `scores`, in the
/// model's own type.
static FailureOr<Value> modified(NodeContext &node, StringRef name,
                                 Value scores, DType dtype) {
  const OnnxAttribute *body = node.attribute(name);
  if (!body || !body->graph)
    return scores;
  Emitter &emit = node.emit;
  DType own = node.dtype(0);
  ImportedValue given;
  given.tensor = emit.convert(scores, dtype, own);
  given.dtype = own;
  Location loc = emit.loc;
  auto outputs = node.bodies.importBody(*body->graph, given);
  emit.loc = loc;
  if (failed(outputs))
    return failure();
  if (outputs->size() != 1 || outputs->front().dtype != own ||
      rankOf(outputs->front().tensor) != 4)
    return node.error("'" + name +
                      "' must give one tensor of the type and rank of the "
                      "scores");
  Sizes before = emit.sizesOf(scores),
        after = emit.sizesOf(outputs->front().tensor);
  for (size_t dim = 0; dim < before.size(); ++dim)
    if (failed(checkSame(node, before[dim], after[dim],
                         "the sizes before and after '" + name + "'")))
      return failure();
  return emit.convert(outputs->front().tensor, own, dtype);
}

static LogicalResult flexAttention(NodeContext &node) {
  Emitter &emit = node.emit;
  for (size_t i = 0; i < 3; ++i)
    if (node.rank(i) != 4)
      return node.error("query, key and value must be of rank 4");
  Value query = node.in(0), key = node.in(1), value = node.in(2);
  if (failed(checkAttention(node, query, key, value)))
    return failure();
  DType dtype = computedType(node.dtype(0));
  query = emit.convert(query, node.dtype(0), dtype);
  key = emit.convert(key, node.dtype(1), dtype);
  Value scale = attentionScale(node, node.number("scale", 0),
                               emit.sizesOf(query)[3], dtype);
  FailureOr<Value> scores = modified(
      node, "score_mod", emitScores(node, query, key, scale, dtype), dtype);
  if (failed(scores))
    return failure();
  FailureOr<Value> probabilities =
      modified(node, "prob_mod", emitRowSoftmax(node, *scores, dtype), dtype);
  if (failed(probabilities))
    return failure();
  Value result = emitAttended(node, *probabilities,
                              emit.convert(value, node.dtype(2), dtype), dtype);
  return node.result(emit.convert(result, dtype, node.dtype(0)), node.dtype(0));
}

void lh::addFlexAttentionOps(OpTable &table) {
  table.add("ai.onnx.preview.FlexAttention",
            {1, 3, OpRule::Float | OpRule::Same, flexAttention});
}
