// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Einsum: diagonals and sums of single operands first, then one product after
// the other from the left. A product that sums is a matrix product.
#include "compiler/ingress/onnx/ops/EinsumEquation.h"
#include "compiler/ingress/onnx/ops/Families.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;
using namespace mlir;

/// Each label's size: a known one other than 1 if there is one; if only the
/// run knows, the first that is not 1 then.
static LogicalResult collectSizes(NodeContext &node,
                                  const EinsumEquation &equation,
                                  LabelSizes &sizes) {
  Emitter &emit = node.emit;
  for (auto [i, labels] : llvm::enumerate(equation.inputs)) {
    Sizes own = emit.sizesOf(node.in(i));
    for (auto [dim, label] : llvm::enumerate(labels)) {
      auto [entry, isNew] = sizes.try_emplace(label, own[dim]);
      std::optional<int64_t> a = emit.known(entry->second);
      std::optional<int64_t> b = emit.known(own[dim]);
      if (isNew || b == 1)
        continue;
      if (a && b && *a != 1 && *a != *b)
        return node.error("input " + Twine(i) + " of shape " +
                              shapeText(node.in(i)) + " has size " + Twine(*b) +
                              " where another has " + Twine(*a),
                          DiagKind::IngressShapeMismatch);
      if (a == 1 || (!a && b))
        entry->second = own[dim];
      else if (!a)
        entry->second = emit.selectEqual(entry->second, emit.index(1), own[dim],
                                         entry->second);
    }
  }
  return success();
}

/// Dimensions of size 1 that are larger elsewhere are spread: their label goes.
static LabelledTensor withoutSpreadOnes(NodeContext &node, Value tensor,
                                        const Labels &labels,
                                        const LabelSizes &sizes) {
  Emitter &emit = node.emit;
  Sizes own = emit.sizesOf(tensor), kept;
  LabelledTensor result;
  for (auto [dim, label] : llvm::enumerate(labels)) {
    bool isSpread =
        emit.known(own[dim]) == 1 && emit.known(sizes.lookup(label)) != 1;
    if (isSpread)
      continue;
    kept.push_back(own[dim]);
    result.labels.push_back(label);
  }
  result.tensor =
      kept.size() == own.size() ? tensor : emit.reshape(tensor, kept);
  bool agrees = true; // or only the run shows what is 1
  for (auto [size, label] : llvm::zip(kept, result.labels))
    agrees &= emit.known(size) || emit.same(size, sizes.lookup(label));
  if (!agrees)
    result.tensor =
        emit.broadcastTo(result.tensor, sizesOfLabels(sizes, result.labels));
  return result;
}

/// Repeated labels pick the diagonal.
static LabelledTensor diagonalOf(NodeContext &node, LabelledTensor operand,
                                 const LabelSizes &sizes) {
  Emitter &emit = node.emit;
  Labels distinct;
  for (Label label : operand.labels)
    if (!llvm::is_contained(distinct, label))
      distinct.push_back(label);
  if (distinct.size() == operand.labels.size())
    return operand;
  Value diagonal = emit.generic(
      {operand.tensor},
      {mapOfLabels(emit.builder, operand.labels, distinct),
       mapOfLabels(emit.builder, distinct, distinct)},
      emit.empty(sizesOfLabels(sizes, distinct), node.typeOf(node.dtype())),
      SmallVector<bool>(distinct.size(), false),
      [](OpBuilder &, Location, ValueRange v) -> Value { return v[0]; });
  return {diagonal, distinct};
}

/// Sums over the labels that nothing else needs.
static LabelledTensor summed(NodeContext &node, LabelledTensor operand,
                             llvm::function_ref<bool(Label)> isNeeded) {
  SmallVector<bool> axes;
  Labels kept;
  for (Label label : operand.labels) {
    axes.push_back(!isNeeded(label));
    if (isNeeded(label))
      kept.push_back(label);
  }
  if (kept.size() == operand.labels.size())
    return operand;
  return {emitSum(node, operand.tensor, axes), kept};
}

static LogicalResult einsum(NodeContext &node) {
  FailureOr<SmallVector<Value>> values = node.allInputs();
  if (failed(values))
    return failure();
  SmallVector<int64_t> ranks;
  for (Value value : *values)
    ranks.push_back(rankOf(value));
  FailureOr<EinsumEquation> equation =
      parseEinsum(node, node.text("equation", ""), ranks);
  LabelSizes sizes;
  if (failed(equation) || failed(collectSizes(node, *equation, sizes)))
    return failure();
  std::vector<LabelledTensor> operands;
  for (auto [value, labels] : llvm::zip(*values, equation->inputs))
    operands.push_back(
        diagonalOf(node, withoutSpreadOnes(node, value, labels, sizes), sizes));
  auto isNeededBeyond = [&](size_t first, size_t last, Label label) {
    if (llvm::is_contained(equation->output, label))
      return true;
    for (size_t i = 0; i < operands.size(); ++i)
      if ((i < first || i > last) && operands[i].has(label))
        return true;
    return false;
  };
  for (size_t i = 0; i < operands.size(); ++i)
    operands[i] = summed(node, operands[i], [&](Label label) {
      return isNeededBeyond(i, i, label);
    });
  LabelledTensor result = operands.front();
  for (size_t i = 1; i < operands.size(); ++i) {
    result = multiply(node.emit, result, operands[i], sizes, node.dtype(),
                      [&](Label label) { return isNeededBeyond(0, i, label); });
  }
  return node.result(transposedTo(node.emit, result, equation->output),
                     node.dtype());
}

void lh::addEinsumOps(OpTable &table) {
  using namespace OpRule;
  table.add("Einsum", {12, 1, Numeric | Same | WidenHalf, einsum});
}
