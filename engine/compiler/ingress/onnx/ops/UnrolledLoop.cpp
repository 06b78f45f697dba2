// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that carry sequences or optionals: an iteration after the other.
#include "compiler/ingress/onnx/OpTable.h"
#include "compiler/ingress/onnx/ops/ControlFlow.h"

using namespace lh;
using namespace mlir;

/// The slices of all iterations along a new outermost dimension.
static FailureOr<ImportedValue> stack(NodeContext &node,
                                      ArrayRef<ImportedValue> slices) {
  if (slices.empty())
    return node.error("without iterations there is nothing to stack",
                      DiagKind::IngressUnsupportedOp);
  SmallVector<Value> tensors;
  for (ImportedValue slice : slices) {
    Value tensor = materialize(slice, node.emit);
    Sizes sizes = node.emit.sizesOf(tensor);
    sizes.insert(sizes.begin(), node.emit.index(1));
    tensors.push_back(node.emit.reshape(tensor, sizes));
    if (rankOf(tensors.back()) != rankOf(tensors.front()) ||
        slice.dtype != slices.front().dtype)
      return node.error("the slices of its iterations have different ranks or "
                        "element types",
                        DiagKind::IngressShapeMismatch);
  }
  FailureOr<Value> stacked = emitConcat(node, 0, tensors);
  if (failed(stacked))
    return failure();
  return ImportedValue{*stacked, slices.front().dtype, std::nullopt, false};
}

namespace {
/// Carries values from one iteration to the next.
class UnrolledLoop {
public:
  UnrolledLoop(NodeContext &node, const OnnxGraph &body)
      : node(node), body(body) {}

  LogicalResult run();

private:
  LogicalResult iterate(int64_t turn);

  NodeContext &node;
  const OnnxGraph &body;
  std::vector<ImportedValue> carried;
  std::vector<std::vector<ImportedValue>> slices; ///< by stacked result
  bool goesOn = true;
};
} // namespace

LogicalResult UnrolledLoop::iterate(int64_t turn) {
  std::vector<ImportedValue> inputs{
      {Value(), DType::Int64, Sizes{node.emit.index(turn)}, true},
      {node.emit.constant({}, {1}, DType::Bool), DType::Bool, std::nullopt,
       false}};
  inputs.insert(inputs.end(), carried.begin(), carried.end());
  auto outputs = node.bodies.importBody(body, inputs, BodyOutputs::Lists);
  if (failed(outputs))
    return failure();
  size_t first = 1 + carried.size();
  if (outputs->size() != first + slices.size())
    return node.error("the body has " + Twine(outputs->size()) + " outputs; " +
                      Twine(first + slices.size()) + " are needed");
  std::optional<bool> truth;
  if (outputs->front().isTensor())
    truth = knownTruth(outputs->front().tensor);
  if (!truth)
    return node.error("whether another iteration follows must be known at "
                      "import, as the length of a sequence depends on it",
                      DiagKind::IngressUnsupportedOp);
  goesOn = *truth;
  for (size_t i = 0; i < carried.size(); ++i)
    carried[i] = (*outputs)[1 + i];
  for (size_t i = 0; i < slices.size(); ++i) {
    if (!(*outputs)[first + i].isTensor())
      return node.error("only tensors can be stacked");
    slices[i].push_back((*outputs)[first + i]);
  }
  return success();
}

LogicalResult UnrolledLoop::run() {
  constexpr int64_t mostIterations = 10'000;
  std::optional<int64_t> count;
  for (size_t i = 0; i < 2; ++i) {
    if (!node.has(i))
      continue;
    FailureOr<int64_t> fixed =
        node.fixedNumber(i, i == 0 ? "the trip count" : "the condition");
    if (failed(fixed))
      return failure();
    if (i == 0)
      count = *fixed;
    else
      goesOn = *fixed != 0;
  }
  for (size_t i = 2; i < node.inputCount(); ++i) {
    if (!node.has(i))
      return node.error("input " + Twine(i) + " is missing");
    carried.push_back(node.raw(i));
  }
  if (node.outputCount() < carried.size())
    return node.error("it carries " + Twine(carried.size()) +
                      " values and has " + Twine(node.outputCount()) +
                      " outputs");
  slices.resize(node.outputCount() - carried.size());
  for (int64_t turn = 0; goesOn && (!count || turn < *count); ++turn) {
    if (turn >= mostIterations)
      return node.error("it has more than " + Twine(mostIterations) +
                            " iterations, which would all be unrolled",
                        DiagKind::IngressUnsupportedOp);
    if (failed(iterate(turn)))
      return failure();
  }
  for (ArrayRef<ImportedValue> of : slices) {
    FailureOr<ImportedValue> stacked = stack(node, of);
    if (failed(stacked))
      return failure();
    carried.push_back(std::move(*stacked));
  }
  return keepAll(node, std::move(carried));
}

LogicalResult lh::unrollLoop(NodeContext &node, const OnnxGraph &body) {
  return UnrolledLoop(node, body).run();
}
