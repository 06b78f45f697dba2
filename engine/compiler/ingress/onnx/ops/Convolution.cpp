// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conv: its attributes against the shapes of its inputs.
#include "compiler/ingress/onnx/ops/Convolution.h"

#include "compiler/ingress/onnx/ops/Families.h"

using namespace lh;
using namespace mlir;

/// Shapes and groups of a Conv must agree before anything is built.
static LogicalResult checkShapes(NodeContext &node, Value x, Value w,
                                 Value bias, int64_t groups) {
  RankedTensorType input = tensorTypeOf(x), weight = tensorTypeOf(w);
  if (input.getRank() < 3 || input.getRank() != weight.getRank())
    return node.error("X of shape " + shapeText(x) + " and W of shape " +
                          shapeText(w) + " must have one rank of at least 3",
                      DiagKind::IngressShapeMismatch);
  if (!weight.hasStaticShape())
    return node.error("the shape of W must be static",
                      DiagKind::IngressUnsupportedOp);
  int64_t channels = input.getDimSize(1), filters = weight.getDimSize(0);
  int64_t perGroup = weight.getDimSize(1);
  bool fits =
      groups > 0 && groups <= filters && perGroup > 0 && filters % groups == 0;
  fits = fits &&
         (ShapedType::isDynamic(channels) || channels == perGroup * groups);
  if (!fits)
    return node.error("W of shape " + shapeText(w) + " and " + Twine(groups) +
                          " groups do not fit X of shape " + shapeText(x),
                      DiagKind::IngressShapeMismatch);
  if (bias &&
      (rankOf(bias) != 1 || tensorTypeOf(bias).getDimSize(0) != filters))
    return node.error("B of shape " + shapeText(bias) +
                          " must have one element per filter",
                      DiagKind::IngressShapeMismatch);
  return success();
}

FailureOr<ConvolutionPlan> lh::planConvolution(NodeContext &node, Value input,
                                               Value weight, Value bias) {
  int64_t groups = node.integer("group", 1);
  if (failed(checkShapes(node, input, weight, bias, groups)))
    return failure();
  FailureOr<Window> window =
      readWindow(node, tensorTypeOf(weight).getShape().drop_front(2));
  if (failed(window))
    return failure();
  Sizes sizes = node.emit.sizesOf(input);
  Padding padding = resolvePadding(node.emit, sizes, *window);
  if (failed(checkWindowFits(node, sizes, *window, padding)))
    return failure();
  return ConvolutionPlan{*window, padding, groups};
}

static LogicalResult conv(NodeContext &node) {
  Value input = node.in(0), weight = node.in(1);
  Value bias = node.has(2) ? node.in(2) : Value();
  FailureOr<ConvolutionPlan> plan = planConvolution(node, input, weight, bias);
  if (failed(plan))
    return failure();
  DType dtype = node.dtype();
  int64_t rank = rankOf(input);
  takeLinesAsImages(node.emit, *plan, input, weight);
  Value padded = padSpatially(node.emit, input, plan->padding,
                              node.scalars(dtype).number(0));
  Value sums = emitConvolution(node.emit, *plan, padded, weight, bias, dtype);
  return node.result(inRank(node.emit, sums, rank), dtype);
}

void lh::addConvolutionOps(OpTable &table) {
  using namespace OpRule;
  table.add("Conv", {1, 2, Float | Same | WidenHalf, conv});
}
