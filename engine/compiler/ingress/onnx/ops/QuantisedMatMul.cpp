// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// com.microsoft's QGemm, a matrix product of quantised operands.
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Quantised.h"

using namespace lh;
using namespace mlir;

/// One number, or one per column, for a tensor of `sizes`.
static FailureOr<QuantParameter> perColumn(NodeContext &node, size_t i,
                                           const Sizes &sizes, StringRef what) {
  QuantParameter parameter = readParameter(node, i);
  if (failed(checkSpreads(node, parameter, sizes, what)))
    return failure();
  return parameter;
}

static FailureOr<QuantParameter> zeroPerColumn(NodeContext &node, size_t i,
                                               size_t of, const Sizes &sizes) {
  if (failed(checkZeroType(node, i, of)))
    return failure();
  return perColumn(node, i, sizes, ("zero point " + Twine(i)).str());
}

static FailureOr<QuantParameter> scalePerColumn(NodeContext &node, size_t i,
                                                const Sizes &sizes) {
  std::string what = ("scale " + Twine(i)).str();
  if (!node.has(i) || !isFloat(node.dtype(i)))
    return node.error(what + " must be a float tensor");
  return perColumn(node, i, sizes, what);
}

/// int32 sums times `scale`, plus a bias that broadcasts (or none).
static FailureOr<Value> scaledWithBias(NodeContext &node, Value sums,
                                       FailureOr<QuantParameter> scale,
                                       size_t bias, DType target) {
  Sizes sizes = node.emit.sizesOf(sums);
  if (node.has(bias) && !isFloat(node.dtype(bias)))
    return node.error("the bias must be a float tensor");
  FailureOr<QuantParameter> added = perColumn(node, bias, sizes, "the bias");
  if (failed(scale) || failed(added))
    return failure();
  return mapQuantised(
      node, sizes, {sums}, {*scale, *added}, target,
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, DType::Float32);
        Value real = convertScalar(b, loc, v[0], DType::Int32, DType::Float32);
        real = s.mul(real, v[1]);
        if (v[2])
          real = s.add(
              real, convertScalar(b, loc, v[2], added->dtype, DType::Float32));
        return convertScalar(b, loc, real, DType::Float32, target);
      });
}

/// alpha times a scale; alpha belongs to the product alone, as C is already
/// quantised with it.
static QuantParameter timesAlpha(NodeContext &node, QuantParameter scale) {
  double alpha = node.number("alpha", 1.0);
  if (alpha == 1.0)
    return scale;
  Scalars s = node.scalars(DType::Float32);
  scale.number = s.mul(convertScalar(s.builder, s.loc, scale.number,
                                     scale.dtype, DType::Float32),
                       s.number(alpha));
  scale.dtype = DType::Float32;
  return scale;
}

/// C spread over the result, or zeros; int32.
static FailureOr<Value> startOfSums(NodeContext &node, const Sizes &sizes) {
  if (!node.has(6))
    return node.emit.filled(sizes, node.scalars(DType::Int32).number(0));
  if (node.dtype(6) != DType::Int32)
    return node.error("C has element type '" + dtypeName(node.dtype(6)) +
                      "'; int32 is needed");
  QuantParameter c{Value(), node.in(6), DType::Int32};
  if (failed(checkSpreads(node, c, sizes, "C")))
    return failure();
  return node.emit.broadcastTo(c.tensor, sizes);
}

/// The int32 sums of a QGemm.
static FailureOr<Value> qGemmSums(NodeContext &node) {
  if (node.rank(0) != 2 || node.rank(3) != 2)
    return node.error("A and B must be matrices");
  Emitter &emit = node.emit;
  bool transposeA = node.integer("transA", 0) != 0;
  bool transposeB = node.integer("transB", 0) != 0;
  Value a = node.in(0), b = node.in(3);
  Sizes aSizes = emit.sizesOf(a), bSizes = emit.sizesOf(b);
  if (failed(checkInner(node, aSizes[transposeA ? 0 : 1],
                        bSizes[transposeB ? 1 : 0])))
    return failure();
  Sizes sizes{aSizes[transposeA ? 1 : 0], bSizes[transposeB ? 0 : 1]};
  FailureOr<QuantParameter> aZero =
      readZeroPoint(node, 2, "the zero point of A", node.dtype(0));
  FailureOr<QuantParameter> bZero = zeroPerColumn(node, 5, 3, sizes);
  FailureOr<Value> start = startOfSums(node, sizes);
  if (failed(aZero) || failed(bZero) || failed(start))
    return failure();
  if (bZero->tensor && rankOf(bZero->tensor) != 1)
    return node.error("the zero point of B must be a number or a vector");
  if (transposeB && bZero->tensor) // columns of B are its rows in memory
    bZero->tensor = emit.reshape(bZero->tensor, {sizes[1], emit.index(1)});
  return emitMatmul(emit, centred(node, a, node.dtype(0), *aZero),
                    centred(node, b, node.dtype(3), *bZero), *start, transposeA,
                    transposeB);
}

static LogicalResult qGemm(NodeContext &node) {
  if (!node.has(3))
    return node.error("B is missing");
  if (failed(checkIsByte(node, 0)) || failed(checkIsByte(node, 3)))
    return failure();
  FailureOr<QuantParameter> aScale = readScale(node, 1, "the scale of A");
  FailureOr<Value> sums = qGemmSums(node);
  if (failed(aScale) || failed(sums))
    return failure();
  FailureOr<QuantParameter> bScale =
      scalePerColumn(node, 4, node.emit.sizesOf(*sums));
  if (failed(bScale))
    return failure();
  QuantParameter ofA = timesAlpha(node, *aScale);
  if (!node.has(8)) { // full precision
    FailureOr<Value> real =
        scaledWithBias(node, *sums, combinedScale(node, ofA, *bScale, {}),
                       node.inputCount(), DType::Float32);
    return failed(real) ? failure() : node.result(*real, DType::Float32);
  }
  DType target = node.dtype(8);
  FailureOr<QuantParameter> yScale = readScale(node, 7, "the scale of Y");
  FailureOr<QuantParameter> yZero =
      readZeroPoint(node, 8, "the zero point of Y", target);
  if (failed(yScale) || failed(yZero) || failed(checkIsByte(node, 8)))
    return failure();
  FailureOr<QuantParameter> scale = combinedScale(node, ofA, *bScale, *yScale);
  if (failed(scale))
    return failure();
  return node.result(
      requantized(node, *sums, DType::Int32, *scale, *yZero, target), target);
}

void lh::addQuantisedMatMulOps(OpTable &table) {
  using namespace OpRule;
  table.add("com.microsoft.QGemm", {1, 2, Integer, qGemm});
}
