// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
#include "ingress/OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace lh;
using namespace mlir;

/// What the losses have in common: per position, the weight of its class and
/// minus the weighted log-probability.
struct LossTerms {
  Value losses, weights;
};

/// `logs` is (N, C, d...), the labels of input 1 are (N, d...).
static LossTerms lossTerms(NodeContext &node, Value logs) {
  Emitter &emit = node.emit;
  Value labels = node.in(1);
  Sizes sizes = emit.sizesOf(labels);
  Value classes = emit.asValue(emit.sizesOf(logs)[1]);
  DType dtype = node.dtype(), labelType = node.dtype(1);
  bool ignores = node.attribute("ignore_index") != nullptr;
  int64_t ignored = node.integer("ignore_index", 0);
  Value classWeights = node.has(2) ? node.in(2) : Value();
  auto weightOf = [&](OpBuilder &b, Location loc, Value label, Value index) {
    Scalars s(b, loc, dtype), labelScalars(b, loc, labelType);
    Value weight = classWeights ? extractElement(b, loc, classWeights, index)
                                : s.number(1);
    if (!ignores)
      return weight;
    Value isIgnored = labelScalars.equal(label, labelScalars.integer(ignored));
    return s.select(isIgnored, s.number(0), weight);
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
        return s.neg(s.mul(weight, extractElement(b, loc, logs, from)));
      });
  return terms;
}

static LogicalResult checkLoss(NodeContext &node) {
  int64_t rank = node.rank(0);
  bool fits = rank >= 2 && node.rank(1) == rank - 1 &&
              (node.dtype(1) == DType::Int32 || node.dtype(1) == DType::Int64);
  if (fits && node.has(2))
    fits = node.rank(2) == 1 && node.dtype(2) == node.dtype(0);
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
