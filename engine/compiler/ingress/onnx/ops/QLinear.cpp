// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// com.microsoft's QLinearConcat; functions/quantised.txt has its like.
#include "compiler/ingress/onnx/ops/Families.h"

using namespace lh;
using namespace mlir;

/// (Y's scale, Y's zero point, and a tensor, scale, zero point per input).
/// Each input is brought to Y's quantisation, then they are joined.
static LogicalResult qLinearConcat(NodeContext &node) {
  if (!node.has(1) || node.inputCount() < 5 || (node.inputCount() - 2) % 3)
    return node.error("Y's scale and zero point, then a tensor, a scale and a "
                      "zero point per input are needed");
  SmallVector<Value> pieces;
  for (size_t i = 2; i < node.inputCount(); i += 3) {
    OnnxNode inner;
    inner.opType = "_requantised";
    inner.outputs = {"y"};
    auto piece = node.bodies.applyOperator(inner, node,
                                           {node.input(i), node.input(i + 1),
                                            node.input(i + 2), node.input(0),
                                            node.input(1)});
    if (failed(piece))
      return failure();
    pieces.push_back(piece->front()->tensor);
  }
  FailureOr<int64_t> axis =
      node.axis(node.integer("axis", 0), rankOf(pieces.front()));
  if (failed(axis))
    return failure();
  FailureOr<Value> joined = emitConcat(node, *axis, pieces);
  return failed(joined) ? failure() : node.result(*joined, node.dtype(1));
}

void lh::addQLinearOps(OpTable &table) {
  table.add("com.microsoft.QLinearConcat", {1, 1, OpRule::None, qLinearConcat});
}
