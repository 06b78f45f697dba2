// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MatMulInteger, QLinearMatMul, ConvInteger and QLinearConv: operands minus
// their zero points, an int32 contraction, and the way back to few bits.
#include "compiler/ingress/onnx/ops/Convolution.h"
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Quantised.h"

using namespace lh;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// A scale or zero point of a matrix: one number, one per row (a vector, or
/// (..., M, 1)), or one per column (a vector, or (..., 1, N)).
static FailureOr<QuantParameter> perLine(NodeContext &node, size_t i,
                                         const Sizes &sizes, bool isPerRow) {
  Emitter &emit = node.emit;
  QuantParameter parameter = readParameter(node, i);
  if (parameter.isOne())
    return parameter;
  std::string what = ("input " + Twine(i)).str();
  if (isPerRow && rankOf(parameter.tensor) == 1)
    parameter.tensor = emit.reshape(
        parameter.tensor, {emit.sizesOf(parameter.tensor)[0], emit.index(1)});
  if (failed(checkSpreads(node, parameter, sizes, what)))
    return failure();
  Sizes own = emit.sizesOf(parameter.tensor);
  size_t fromEnd = isPerRow ? 1 : 2;
  std::optional<int64_t> across =
      own.size() < fromEnd ? 1 : emit.known(own[own.size() - fromEnd]);
  if (across && *across != 1)
    return node.error(what + " of shape " + shapeText(parameter.tensor) +
                          " must hold one number per " +
                          (isPerRow ? "row" : "column"),
                      DiagKind::IngressShapeMismatch);
  return parameter;
}

/// One side of a product, as a matrix or a batch of them.
struct MatrixOperand {
  Value centred; ///< in the type of the sums
  Sizes sizes;
  bool isVector = false; ///< of rank 1 in the model
};

static FailureOr<MatrixOperand> readMatrix(NodeContext &node, size_t i,
                                           size_t zeroPoint, bool isLeft,
                                           DType sums = DType::Int32) {
  if (failed(checkZeroType(node, zeroPoint, i)))
    return failure();
  if (node.rank(i) == 0)
    return node.error("input " + Twine(i) + " is a scalar; a matrix is needed",
                      DiagKind::IngressShapeMismatch);
  Emitter &emit = node.emit;
  Value tensor = node.in(i);
  MatrixOperand operand;
  operand.isVector = rankOf(tensor) == 1;
  operand.sizes = emit.sizesOf(tensor);
  if (operand.isVector) {
    operand.sizes.insert(isLeft ? operand.sizes.begin() : operand.sizes.end(),
                         emit.index(1));
    tensor = emit.reshape(tensor, operand.sizes);
  }
  FailureOr<QuantParameter> zero =
      perLine(node, zeroPoint, operand.sizes, isLeft);
  if (failed(zero))
    return failure();
  operand.centred = centred(node, tensor, node.dtype(i), *zero, sums);
  return operand;
}

/// The unit dimensions that stand for vectors are no part of the result.
static Value withoutVectors(NodeContext &node, Value product,
                            const MatrixOperand &a, const MatrixOperand &b) {
  Sizes sizes = node.emit.sizesOf(product);
  if (a.isVector)
    sizes.erase(sizes.end() - 2);
  if (b.isVector)
    sizes.pop_back();
  return node.emit.reshape(product, sizes);
}

static LogicalResult matMulInteger(NodeContext &node) {
  if (failed(checkIsByte(node, 0)) || failed(checkIsByte(node, 1)))
    return failure();
  FailureOr<MatrixOperand> a = readMatrix(node, 0, 2, true);
  FailureOr<MatrixOperand> b = readMatrix(node, 1, 3, false);
  if (failed(a) || failed(b))
    return failure();
  FailureOr<Value> product =
      emitOnnxMatMul(node, a->centred, b->centred, DType::Int32);
  if (failed(product))
    return failure();
  return node.result(withoutVectors(node, *product, *a, *b), DType::Int32);
}

/// Opset 21 adds floats of 8 bits, which are summed in float32.
static LogicalResult checkMatMulTypes(NodeContext &node) {
  for (size_t i : {size_t(0), size_t(3), size_t(7)})
    if (storedBits(node.dtype(i)) != 8 || !isQuantised(node.dtype(i)))
      return node.error("input " + Twine(i) + " has element type '" +
                        dtypeName(node.dtype(i)) +
                        "'; a quantised type of 8 bits is needed");
  for (size_t i : {size_t(1), size_t(4), size_t(6)})
    if (!isFloat(node.dtype(i)))
      return node.error("scale " + Twine(i) + " must be a float tensor");
  return success();
}

static LogicalResult qLinearMatMul(NodeContext &node) {
  if (failed(checkMatMulTypes(node)))
    return failure();
  bool isReal = isSmallFloat(node.dtype(0)) || isSmallFloat(node.dtype(3));
  DType sums = isReal ? DType::Float32 : DType::Int32;
  FailureOr<MatrixOperand> a = readMatrix(node, 0, 2, true, sums);
  FailureOr<MatrixOperand> b = readMatrix(node, 3, 5, false, sums);
  if (failed(a) || failed(b))
    return failure();
  FailureOr<QuantParameter> aScale = perLine(node, 1, a->sizes, true);
  FailureOr<QuantParameter> bScale = perLine(node, 4, b->sizes, false);
  if (failed(aScale) || failed(bScale))
    return failure();
  FailureOr<Value> product = emitOnnxMatMul(node, a->centred, b->centred, sums);
  if (failed(product))
    return failure();
  Sizes sizes = node.emit.sizesOf(*product);
  FailureOr<QuantParameter> yScale = perLine(node, 6, sizes, true);
  FailureOr<QuantParameter> yZero = perLine(node, 7, sizes, true);
  if (failed(yScale) || failed(yZero) ||
      failed(checkSpreads(node, *aScale, sizes, "input 1")) ||
      failed(checkSpreads(node, *bScale, sizes, "input 4")))
    return failure();
  FailureOr<QuantParameter> scale =
      combinedScale(node, *aScale, *bScale, *yScale);
  if (failed(scale))
    return failure();
  Value result =
      requantized(node, *product, sums, *scale, *yZero, node.dtype(7));
  return node.result(withoutVectors(node, result, *a, *b), node.dtype(7));
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Where a node keeps the operands of its convolution.
struct ConvolutionInputs {
  size_t x, xZero, w, wZero;
  std::optional<size_t> bias;
};

/// One number, or one per filter laid along the first of `rank` dimensions.
static FailureOr<QuantParameter> perFilter(NodeContext &node, size_t i,
                                           size_t rank) {
  Emitter &emit = node.emit;
  QuantParameter parameter = readParameter(node, i);
  if (parameter.isOne())
    return parameter;
  if (rankOf(parameter.tensor) != 1)
    return node.error("input " + Twine(i) + " of shape " +
                          shapeText(parameter.tensor) +
                          " must be a number or a vector",
                      DiagKind::IngressShapeMismatch);
  Sizes sizes(rank, emit.index(1));
  sizes[0] = emit.sizesOf(parameter.tensor)[0];
  parameter.tensor = emit.reshape(parameter.tensor, sizes);
  return parameter;
}

static LogicalResult checkConvolutionTypes(NodeContext &node,
                                           const ConvolutionInputs &at) {
  if (failed(checkIsByte(node, at.x)) || failed(checkIsByte(node, at.w)) ||
      failed(checkZeroType(node, at.xZero, at.x)) ||
      failed(checkZeroType(node, at.wZero, at.w)))
    return failure();
  if (at.bias && node.has(*at.bias) && node.dtype(*at.bias) != DType::Int32)
    return node.error("B has element type '" + dtypeName(node.dtype(*at.bias)) +
                      "'; int32 is needed");
  return success();
}

/// The int32 sums. What is padded is the zero point, so it is padded before
/// anything is widened.
static FailureOr<Value> integerConvolution(NodeContext &node,
                                           const ConvolutionInputs &at) {
  if (failed(checkConvolutionTypes(node, at)))
    return failure();
  Emitter &emit = node.emit;
  DType xType = node.dtype(at.x), wType = node.dtype(at.w);
  Value input = node.in(at.x), weight = node.in(at.w), bias;
  if (node.integer("channels_last", 0) != 0 && rankOf(input) > 2)
    input = channelsSecond(emit, input);
  if (at.bias && node.has(*at.bias))
    bias = node.in(*at.bias);
  FailureOr<ConvolutionPlan> plan = planConvolution(node, input, weight, bias);
  if (failed(plan)) // what follows relies on the weight's rank
    return failure();
  int64_t rank = rankOf(input);
  takeLinesAsImages(emit, *plan, input, weight);
  FailureOr<QuantParameter> xZero =
      readZeroPoint(node, at.xZero, "the zero point of X", xType);
  FailureOr<QuantParameter> wZero =
      perFilter(node, at.wZero, static_cast<size_t>(rankOf(weight)));
  if (failed(xZero) || failed(wZero) ||
      failed(checkSpreads(node, *wZero, emit.sizesOf(weight),
                          "the zero point of W")))
    return failure();
  Value filling =
      xZero->number ? xZero->number : node.scalars(xType).integer(0);
  Value padded = padSpatially(emit, input, plan->padding, filling);
  Value sums =
      emitConvolution(node.emit, *plan, centred(node, padded, xType, *xZero),
                      centred(node, weight, wType, *wZero), bias, DType::Int32);
  return inRank(emit, sums, rank);
}

static LogicalResult convInteger(NodeContext &node) {
  FailureOr<Value> sums = integerConvolution(node, {0, 2, 1, 3, std::nullopt});
  return failed(sums) ? failure() : node.result(*sums, DType::Int32);
}

static LogicalResult qLinearConv(NodeContext &node) {
  FailureOr<QuantParameter> xScale = readScale(node, 1, "the scale of X");
  FailureOr<QuantParameter> yScale = readScale(node, 6, "the scale of y");
  if (failed(xScale) || failed(yScale) || failed(checkIsByte(node, 7)))
    return failure();
  DType target = node.dtype(7);
  FailureOr<QuantParameter> yZero =
      readZeroPoint(node, 7, "the zero point of y", target);
  FailureOr<Value> sums = integerConvolution(node, {0, 2, 3, 5, 8});
  if (failed(yZero) || failed(sums))
    return failure();
  auto rank = static_cast<size_t>(rankOf(*sums));
  FailureOr<QuantParameter> wScale = perFilter(node, 4, rank - 1);
  if (failed(wScale) ||
      failed(checkSpreads(node, *wScale, node.emit.sizesOf(*sums),
                          "the scale of W")))
    return failure();
  if (!isFloat(wScale->dtype))
    return node.error("the scale of W must be a float tensor");
  FailureOr<QuantParameter> scale =
      combinedScale(node, *xScale, *wScale, *yScale);
  if (failed(scale))
    return failure();
  Value result = requantized(node, *sums, DType::Int32, *scale, *yZero, target);
  if (node.integer("channels_last", 0) != 0)
    result = channelsLast(node.emit, result);
  return node.result(result, target);
}

void lh::addIntegerContractionOps(OpTable &table) {
  using namespace OpRule;
  table.add("MatMulInteger", {10, 2, Integer, matMulInteger});
  table.add("QLinearMatMul", {10, 8, Numeric, qLinearMatMul});
  table.add("ConvInteger", {10, 2, Integer, convInteger});
  table.add("QLinearConv", {10, 8, Integer, qLinearConv});
  table.add("com.microsoft.QLinearConv", {1, 8, Integer, qLinearConv});
}
