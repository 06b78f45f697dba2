// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
#include "compiler/ingress/onnx/OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace lh;
using namespace mlir;

/// What the losses have in common: per position, the weight of its class and
/// minus the weighted log-probability.
struct LossTerms {
  Value losses, weights;
};

/// `value`, or 0 where the label is the one to ignore.
static Value zeroIfIgnored(NodeContext &node, const Scalars &s, Value label,
                           Value value) {
  if (!node.attribute("ignore_index"))
    return value;
  Scalars labels(s.builder, s.loc, node.dtype(1));
  Value ignored = labels.integer(node.integer("ignore_index", 0));
  return s.select(labels.equal(label, ignored), s.number(0), value);
}

/// `logs` is (N, C, d...), the labels of input 1 are (N, d...).
static LossTerms lossTerms(NodeContext &node, Value logs) {
  Emitter &emit = node.emit;
  Value labels = node.in(1);
  Sizes sizes = emit.sizesOf(labels);
  Value classes = emit.asValue(emit.sizesOf(logs)[1]);
  DType dtype = node.dtype(), labelType = node.dtype(1);
  Value classWeights = node.has(2) ? node.in(2) : Value();
  auto weightOf = [&](OpBuilder &b, Location loc, Value label, Value index) {
    Scalars s(b, loc, dtype);
    Value weight = classWeights ? extractElement(b, loc, classWeights, index)
                                : s.number(1);
    return zeroIfIgnored(node, s, label, weight);
  };
  LossTerms terms;
  terms.weights =
      emit.map({labels}, node.typeOf(dtype),
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 Value index = normalizeIndex(
                     b, loc, toIndex(b, loc, v[0], labelType), classes);
                 return weightOf(b, loc, v[0], index);
               });
  terms.losses = emit.generate(
      sizes, node.typeOf(dtype),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Scalars s(b, loc, dtype);
        Value label = extractElement(b, loc, labels, at);
        Value index =
            normalizeIndex(b, loc, toIndex(b, loc, label, labelType), classes);
        SmallVector<Value> from{at[0], index};
        from.append(at.begin() + 1, at.end());
        Value weight = weightOf(b, loc, label, index);
        Value loss = s.neg(s.mul(weight, extractElement(b, loc, logs, from)));
        // An infinite score of an ignored class is no loss either.
        return zeroIfIgnored(node, s, label, loss);
      });
  return terms;
}

/// Sizes that are both known must be one.
static bool agrees(NodeContext &node, Value a, int64_t dimOfA, Value b,
                   int64_t dimOfB) {
  Emitter &emit = node.emit;
  std::optional<int64_t> x =
      emit.known(emit.sizesOf(a)[static_cast<size_t>(dimOfA)]);
  std::optional<int64_t> y =
      emit.known(emit.sizesOf(b)[static_cast<size_t>(dimOfB)]);
  return !x || !y || *x == *y;
}

static LogicalResult checkLoss(NodeContext &node) {
  int64_t rank = node.rank(0);
  bool fits = rank >= 2 && node.rank(1) == rank - 1 &&
              (node.dtype(1) == DType::Int32 || node.dtype(1) == DType::Int64);
  if (fits && node.has(2))
    fits = node.rank(2) == 1 && node.dtype(2) == node.dtype(0);
  for (int64_t dim = 0; fits && dim < rank; ++dim)
    if (dim != 1)
      fits = agrees(node, node.in(0), dim, node.in(1), dim > 1 ? dim - 1 : dim);
  if (fits && node.has(2))
    fits = agrees(node, node.in(0), 1, node.in(2), 0);
  if (fits)
    return success();
  return node.error("labels of shape " + shapeText(node.in(1)) +
                        " do not fit scores of shape " + shapeText(node.in(0)),
                    DiagKind::IngressShapeMismatch);
}

static LogicalResult finishLoss(NodeContext &node, Value logs) {
  Emitter &emit = node.emit;
  DType dtype = node.dtype();
  LossTerms terms = lossTerms(node, logs);
  std::string reduction = node.text("reduction", "mean");
  if (reduction == "none")
    return node.result(terms.losses, dtype);
  SmallVector<bool> all(static_cast<size_t>(rankOf(terms.losses)), true);
  Value sum = emitSum(node, terms.losses, all);
  if (reduction == "sum")
    return node.result(sum, dtype);
  if (reduction != "mean")
    return node.error("unknown reduction '" + reduction + "'");
  Value total = emitSum(node, terms.weights, all);
  return node.result(emit.map({sum, total}, node.typeOf(dtype),
                              [&](OpBuilder &b, Location loc, ValueRange v) {
                                return Scalars(b, loc, dtype).div(v[0], v[1]);
                              }),
                     dtype);
}

static LogicalResult negativeLogLikelihood(NodeContext &node) {
  if (failed(checkLoss(node)))
    return failure();
  return finishLoss(node, node.in(0));
}

static LogicalResult softmaxCrossEntropy(NodeContext &node) {
  if (failed(checkLoss(node)))
    return failure();
  SmallVector<bool> axes(static_cast<size_t>(node.rank(0)), false);
  axes[1] = true;
  Value logs = emitLogSoftmax(node, node.in(0), axes);
  if (node.wants(1))
    node.set(1, logs, node.dtype());
  return finishLoss(node, logs);
}

namespace lh {
void addLossOps(OpTable &table) {
  using namespace OpRule;
  table.add("NegativeLogLikelihoodLoss",
            {12, 2, Float | WidenHalf, negativeLogLikelihood});
  table.add("SoftmaxCrossEntropyLoss",
            {12, 2, Float | WidenHalf, softmaxCrossEntropy});
}
} // namespace lh
