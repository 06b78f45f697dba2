// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CausalConvWithState: a depthwise convolution along time that sees the past,
// of which it takes and gives the piece that the next call needs.
#include "compiler/ingress/onnx/ops/Attention.h"
#include "compiler/ingress/onnx/ops/Convolution.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

/// Inputs by position.
enum : size_t { Input, Weight, Bias, Past };

static LogicalResult checkOperands(NodeContext &node) {
  if (node.rank(Input) != 3 || node.rank(Weight) != 3)
    return node.error("the input of shape " + shapeText(node.in(Input)) +
                          " and the weight of shape " +
                          shapeText(node.in(Weight)) + " must have rank 3",
                      DiagKind::IngressShapeMismatch);
  RankedTensorType weight = tensorTypeOf(node.in(Weight));
  if (!weight.hasStaticShape())
    return node.error("the shape of the weight must be static",
                      DiagKind::IngressUnsupportedOp);
  int64_t channels = tensorTypeOf(node.in(Input)).getDimSize(1);
  bool fits =
      ShapedType::isDynamic(channels) || channels == weight.getDimSize(0);
  if (!fits || weight.getDimSize(1) != 1 || weight.getDimSize(2) < 1)
    return node.error("a weight of shape " + shapeText(node.in(Weight)) +
                          " does not fit an input of shape " +
                          shapeText(node.in(Input)),
                      DiagKind::IngressShapeMismatch);
  if (node.has(Bias) &&
      (node.rank(Bias) != 1 ||
       tensorTypeOf(node.in(Bias)).getDimSize(0) != weight.getDimSize(0)))
    return node.error("a bias of shape " + shapeText(node.in(Bias)) +
                          " must have one element per channel",
                      DiagKind::IngressShapeMismatch);
  return success();
}

/// What came before the input, (batch, channels, kernel - 1).
static FailureOr<Value> pastOf(NodeContext &node) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(node.in(Input));
  sizes[2] = emit.index(tensorTypeOf(node.in(Weight)).getDimSize(2) - 1);
  if (!node.has(Past))
    return emit.filled(sizes, node.scalars(node.dtype()).number(0));
  if (node.rank(Past) != 3)
    return node.error("a past state of shape " + shapeText(node.in(Past)) +
                          " must have rank 3",
                      DiagKind::IngressShapeMismatch);
  Sizes own = emit.sizesOf(node.in(Past));
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    if (failed(checkSame(node, own[dim], sizes[dim],
                         "the sizes of the past state and of what the input "
                         "and the kernel ask for")))
      return failure();
  Sizes start(3, emit.index(0)), steps(3, emit.index(1));
  // Where the past's length is open, it gets the one that it must have.
  return emit.slice(node.in(Past), start, sizes, steps);
}

/// The convolution is a plane of one row, for which there is a named operation.
static Value convolveRows(NodeContext &node, Value padded, DType dtype) {
  Emitter &emit = node.emit;
  auto inDtype = [&](Value tensor) {
    return emit.convert(tensor, node.dtype(), dtype);
  };
  auto asPlane = [&](Value tensor) {
    Sizes sizes = emit.sizesOf(tensor);
    return emit.reshape(tensor, {sizes[0], sizes[1], emit.index(1), sizes[2]});
  };
  RankedTensorType weight = tensorTypeOf(node.in(Weight));
  ConvolutionPlan plan;
  plan.window.kernel = {1, weight.getDimSize(2)};
  plan.window.strides = plan.window.dilations = {1, 1};
  plan.window.low = plan.window.high = {0, 0};
  plan.groups = weight.getDimSize(0);
  Value bias = node.has(Bias) ? inDtype(node.in(Bias)) : Value();
  Value result =
      emitConvolution(node, plan, asPlane(inDtype(padded)),
                      asPlane(inDtype(node.in(Weight))), bias, dtype);
  Sizes sizes = emit.sizesOf(result);
  return emit.reshape(result, {sizes[0], sizes[1], sizes[3]});
}

/// x * sigmoid(x).
static Value emitSilu(NodeContext &node, Value tensor, DType dtype) {
  return node.emit.map({tensor}, node.typeOf(dtype),
                       [&](OpBuilder &b, Location loc, ValueRange v) {
                         Scalars s(b, loc, dtype);
                         Value power = math::ExpOp::create(b, loc, s.neg(v[0]));
                         return s.div(v[0], s.add(s.number(1), power));
                       });
}

/// Whether the results pass through Silu.
static FailureOr<bool> readActivation(NodeContext &node) {
  // com.microsoft's form may ask for planes, volumes and earlier states.
  if (node.integer("ndim", 1) != 1 || node.integer("state_window", 0) != 0)
    return node.error("only an 'ndim' of 1 without 'state_window' is supported",
                      DiagKind::IngressUnsupportedOp);
  std::string activation = node.text("activation", "none");
  bool bends = activation == "silu" || activation == "swish";
  if (!bends && activation != "none")
    return node.error("activation is '" + activation +
                      "'; it can be 'silu', 'swish' and 'none'");
  return bends;
}

static LogicalResult causalConv(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<bool> bends = readActivation(node);
  if (failed(bends) || failed(checkOperands(node)))
    return failure();
  FailureOr<Value> past = pastOf(node);
  if (failed(past))
    return failure();
  Value input = node.in(Input);
  if (llvm::is_contained(tensorTypeOf(input).getShape(), 0)) {
    // No elements come in or go out, and the state stays.
    node.set(1, *past, node.dtype());
    return node.result(input, node.dtype());
  }
  DType stored = node.dtype(), dtype = computedType(stored);
  int64_t taps = tensorTypeOf(node.in(Weight)).getDimSize(2);
  Value padded = taps == 1 ? input : emit.concat(2, {*past, input});
  // The activation applies to what the convolution gives in the node's type.
  Value result = emit.convert(convolveRows(node, padded, dtype), dtype, stored);
  if (*bends)
    result =
        emit.convert(emitSilu(node, emit.convert(result, stored, dtype), dtype),
                     dtype, stored);
  node.set(0, result, stored);
  // One tap needs no past: a state of no elements stays as it came.
  if (taps == 1 || !node.wants(1)) {
    node.set(1, *past, stored);
    return success();
  }
  Sizes sizes = emit.sizesOf(*past), steps(3, emit.index(1));
  Sizes start{emit.index(0), emit.index(0), emit.sizesOf(input)[2]};
  node.set(1, emit.slice(padded, start, sizes, steps), stored);
  return success();
}

namespace lh {
void addCausalConvOps(OpTable &table) {
  using namespace OpRule;
  table.add("CausalConvWithState", {27, 2, Float | Same, causalConv});
  table.add("com.microsoft.CausalConvWithState",
            {1, 2, Float | Same, causalConv});
}
} // namespace lh
