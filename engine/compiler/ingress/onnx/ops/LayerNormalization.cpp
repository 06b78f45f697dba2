// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layer and RMS normalisation.
#include "compiler/ingress/onnx/ops/LayerNormalization.h"

#include "compiler/ingress/onnx/ops/Attention.h"
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Reduction.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

static Value squareRoot(const Scalars &s, Value x) {
  return math::SqrtOp::create(s.builder, s.loc, x);
}

Value lh::emitMeanKept(NodeContext &node, Value tensor, ArrayRef<bool> axes,
                       DType dtype) {
  return node.emit.unreduce(emitMean(node, tensor, axes, dtype), axes);
}

LogicalResult lh::checkBroadcast(NodeContext &node, Value tensor, Value target,
                                 const Twine &what) {
  Emitter &emit = node.emit;
  FailureOr<Sizes> sizes = emit.broadcastSizes({target, tensor});
  Sizes wanted = emit.sizesOf(target);
  bool fits = succeeded(sizes) && sizes->size() == wanted.size();
  for (size_t dim = 0; fits && dim < wanted.size(); ++dim)
    fits = !emit.known(wanted[dim]) || emit.same((*sizes)[dim], wanted[dim]);
  if (fits)
    return success();
  return node.error(what + " of shape " + shapeText(tensor) +
                        " does not broadcast to " + shapeText(target),
                    DiagKind::IngressShapeMismatch);
}

/// The mean of the squared (distances from the mean), the axes kept as 1.
static Value meanSquare(NodeContext &node, const RowNorm &norm, Value mean) {
  SmallVector<Value> values{norm.tensor};
  if (mean)
    values.push_back(mean);
  Value squares = node.emit.map(values, node.typeOf(norm.dtype),
                                [&](OpBuilder &b, Location loc, ValueRange v) {
                                  Scalars s(b, loc, norm.dtype);
                                  Value x =
                                      v.size() > 1 ? s.sub(v[0], v[1]) : v[0];
                                  return s.mul(x, x);
                                });
  return emitMeanKept(node, squares, norm.axes, norm.dtype);
}

RowNormResult lh::emitRowNorm(NodeContext &node, const RowNorm &norm) {
  Emitter &emit = node.emit;
  RowNormResult result;
  if (norm.isCentred)
    result.mean = emitMeanKept(node, norm.tensor, norm.axes, norm.dtype);
  Value squares = meanSquare(node, norm, result.mean);
  result.inverseDeviation =
      emit.map({squares}, node.typeOf(norm.dtype),
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 Scalars s(b, loc, norm.dtype);
                 Value shifted = s.add(v[0], s.number(norm.epsilon));
                 return s.div(s.number(1), squareRoot(s, shifted));
               });
  SmallVector<Value> values{norm.tensor, result.inverseDeviation};
  for (Value optional : {result.mean, norm.scale, norm.bias})
    if (optional)
      values.push_back(optional);
  result.normalized = emit.mapTo(
      emit.sizesOf(norm.tensor), values, node.typeOf(norm.affine),
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, norm.dtype), wide(b, loc, norm.affine);
        size_t next = 2;
        Value x = result.mean ? s.sub(v[0], v[next++]) : v[0];
        x = convertScalar(b, loc, s.mul(x, v[1]), norm.dtype, norm.affine);
        if (norm.scale)
          x = wide.mul(x, v[next++]);
        return norm.bias ? wide.add(x, v[next]) : x;
      });
  return result;
}

/// The type of the statistics: attribute 'stash_type'.
static FailureOr<DType> stashType(NodeContext &node) {
  std::optional<DType> type = dtypeOfOnnx(node.integer("stash_type", 1));
  if (type && isFloat(*type))
    return *type;
  return node.error("'stash_type' must be a float type");
}

/// The parts that Layer- and RMSNormalization share. The result has the type
/// `resultType`.
static FailureOr<RowNormResult> normalizeRows(NodeContext &node, bool isCentred,
                                              DType resultType) {
  Emitter &emit = node.emit;
  int64_t rank = node.rank(0);
  FailureOr<int64_t> axis = node.axis(node.integer("axis", -1), rank);
  FailureOr<DType> stash = stashType(node);
  if (failed(axis) || failed(stash))
    return failure();
  RowNorm norm;
  norm.axes.assign(static_cast<size_t>(rank), false);
  std::fill(norm.axes.begin() + *axis, norm.axes.end(), true);
  norm.epsilon = node.number("epsilon", 1e-5);
  norm.isCentred = isCentred;
  norm.dtype = computedType(*stash);
  norm.affine = computedType(resultType);
  norm.tensor = emit.convert(node.in(0), node.dtype(), norm.dtype);
  for (size_t i : {1, 2}) {
    if (!node.has(i) || (i == 2 && !isCentred))
      continue;
    if (!isFloat(node.dtype(i)))
      return node.error("scale and bias must be floats");
    if (failed(checkBroadcast(node, node.in(i), node.in(0),
                              i == 1 ? "a scale" : "a bias")))
      return failure();
    (i == 1 ? norm.scale : norm.bias) =
        emit.convert(node.in(i), node.dtype(i), norm.affine);
  }
  RowNormResult result = emitRowNorm(node, norm);
  for (Value *statistic : {&result.mean, &result.inverseDeviation})
    if (*statistic)
      *statistic = emit.convert(*statistic, norm.dtype, *stash);
  result.normalized = emit.convert(result.normalized, norm.affine, resultType);
  return result;
}

static LogicalResult layerNormalization(NodeContext &node) {
  FailureOr<RowNormResult> result = normalizeRows(node, true, node.dtype());
  if (failed(result))
    return failure();
  DType stash = *stashType(node);
  node.set(1, result->mean, stash);
  node.set(2, result->inverseDeviation, stash);
  return node.result(result->normalized, node.dtype());
}

/// The result has the type of the scale. SimplifiedLayerNormalization is the
/// same with an output more.
static LogicalResult rmsNormalization(NodeContext &node) {
  FailureOr<RowNormResult> result = normalizeRows(node, false, node.dtype(1));
  if (failed(result))
    return failure();
  if (node.opType() == "SimplifiedLayerNormalization")
    node.set(1, result->inverseDeviation, *stashType(node));
  return node.result(result->normalized, node.dtype(1));
}

void lh::addLayerNormalizationOps(OpTable &table) {
  using namespace OpRule;
  // Optimisers wrote these two into older models, and into both domains.
  for (StringRef domain : {"", "com.microsoft."}) {
    table.add((domain + "LayerNormalization").str(),
              {1, 2, Float, layerNormalization});
    table.add((domain + "SimplifiedLayerNormalization").str(),
              {1, 2, Float, rmsNormalization});
  }
  table.add("RMSNormalization", {23, 2, Float, rmsNormalization});
}
