// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DeformConv: a convolution whose kernel reads at positions moved by offsets.
// The moved elements are gathered first; a contraction with the weights
// follows.
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Sampling.h"
#include "compiler/ingress/onnx/ops/Window.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace lh;
using namespace mlir;

namespace {
struct Deformed {
  Window window;
  int64_t groups = 1, offsetGroups = 1;
  int64_t area = 1; ///< positions of the kernel
  Sizes output;     ///< spatial

  size_t rank() const { return window.rank(); }
};
} // namespace

static LogicalResult checkWeights(NodeContext &node, const Deformed &conv) {
  RankedTensorType input = tensorTypeOf(node.in(0));
  RankedTensorType weight = tensorTypeOf(node.in(1));
  bool fits = conv.groups > 0 && conv.groups <= weight.getDimSize(0) &&
              weight.getDimSize(0) % conv.groups == 0 && conv.offsetGroups > 0;
  int64_t channels = fits ? weight.getDimSize(1) * conv.groups : 0;
  fits = fits && channels > 0 && conv.offsetGroups <= channels &&
         channels % conv.offsetGroups == 0 &&
         (input.isDynamicDim(1) || input.getDimSize(1) == channels);
  if (fits && node.has(3))
    fits = node.rank(3) == 1 &&
           tensorTypeOf(node.in(3)).getDimSize(0) == weight.getDimSize(0);
  if (fits)
    return success();
  return node.error(
      "W of shape " + shapeText(node.in(1)) + ", " + Twine(conv.groups) +
          " groups and " + Twine(conv.offsetGroups) +
          " offset groups do not fit X of shape " + shapeText(node.in(0)),
      DiagKind::IngressShapeMismatch);
}

/// Input `i` must have `rows` values for every position of the result.
static LogicalResult checkField(NodeContext &node, const Deformed &conv,
                                size_t i, int64_t rows) {
  RankedTensorType type = tensorTypeOf(node.in(i));
  bool fits = type.getRank() == node.rank(0) &&
              (type.isDynamicDim(1) || type.getDimSize(1) == rows) &&
              mayBeSame(node.emit, node.in(0), node.in(i), 0);
  Sizes sizes = node.emit.sizesOf(node.in(i));
  for (size_t dim = 0; fits && dim < conv.rank(); ++dim) {
    std::optional<int64_t> a = node.emit.known(sizes[2 + dim]);
    std::optional<int64_t> b = node.emit.known(conv.output[dim]);
    fits = !a || !b || *a == *b;
  }
  if (fits)
    return success();
  return node.error("input " + Twine(i) + " of shape " + shapeText(node.in(i)) +
                        " does not hold " + Twine(rows) +
                        " values per position of the result",
                    DiagKind::IngressShapeMismatch);
}

static FailureOr<Deformed> readDeformed(NodeContext &node) {
  if (failed(checkFilters(node)))
    return failure();
  RankedTensorType weight = tensorTypeOf(node.in(1));
  FailureOr<Window> window = readWindow(node, weight.getShape().drop_front(2));
  if (failed(window))
    return failure();
  Deformed conv;
  conv.window = *window;
  conv.groups = node.integer("group", 1);
  conv.offsetGroups = node.integer("offset_group", 1);
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(node.in(0));
  Padding padding = resolvePadding(emit, sizes, conv.window);
  if (failed(checkWeights(node, conv)) ||
      failed(checkWindowFits(node, sizes, conv.window, padding)))
    return failure();
  for (size_t i = 0; i < conv.rank(); ++i)
    conv.output.push_back(windowCount(
        emit, emit.add(emit.add(sizes[2 + i], padding.low[i]), padding.high[i]),
        conv.window, i));
  for (int64_t size : conv.window.kernel)
    conv.area *= size;
  int64_t fields = conv.offsetGroups * conv.area;
  auto rank = static_cast<int64_t>(conv.rank());
  if (failed(checkField(node, conv, 2, fields * rank)) ||
      (node.has(4) && failed(checkField(node, conv, 4, fields))))
    return failure();
  return conv;
}

/// The taps, per dimension, of kernel position at[2] at result position
/// at[3...], moved by the offsets of `field`.
static SmallVector<SmallVector<Tap>> movedTaps(const Scalars &s, Value offsets,
                                               const Deformed &conv,
                                               ArrayRef<Value> sizes,
                                               Value field, ValueRange at) {
  OpBuilder &b = s.builder;
  Location loc = s.loc;
  auto constant = [&](int64_t value) { return indexConstant(b, loc, value); };
  const Window &window = conv.window;
  Value row =
      indexMul(b, loc, field, constant(static_cast<int64_t>(conv.rank())));
  SmallVector<SmallVector<Tap>> taps(conv.rank());
  Value inKernel = at[2];
  for (size_t i = conv.rank(); i-- > 0;) {
    Value k = indexRem(b, loc, inKernel, constant(window.kernel[i]));
    inKernel = indexDiv(b, loc, inKernel, constant(window.kernel[i]));
    Value start = indexMul(b, loc, at[3 + i], constant(window.strides[i]));
    start = indexSub(b, loc, start, constant(window.low[i]));
    Value reach = indexMul(b, loc, k, constant(window.dilations[i]));
    Value unmoved = numberOf(s, indexAdd(b, loc, start, reach));
    SmallVector<Value> from{
        at[0], indexAdd(b, loc, row, constant(static_cast<int64_t>(i)))};
    from.append(at.begin() + 3, at.end());
    Value offset = extractElement(b, loc, offsets, from);
    taps[i] = linearTaps(s, s.add(unmoved, offset), sizes[2 + i]);
  }
  return taps;
}

/// The element that kernel position at[2] sees at result position at[3...], of
/// image at[0] and channel at[1].
static Value movedElement(OpBuilder &b, Location loc, NodeContext &node,
                          const Deformed &conv, ArrayRef<Value> sizes,
                          ValueRange at) {
  Scalars s(b, loc, node.dtype());
  int64_t channels = tensorTypeOf(node.in(1)).getDimSize(1) * conv.groups;
  Value each = indexConstant(b, loc, channels / conv.offsetGroups);
  Value group = indexDiv(b, loc, at[1], each);
  Value area = indexConstant(b, loc, conv.area);
  Value field = indexAdd(b, loc, indexMul(b, loc, group, area), at[2]);
  SmallVector<SmallVector<Tap>> taps =
      movedTaps(s, node.in(2), conv, sizes, field, at);
  Value input = node.in(0);
  Value element = interpolate(s, taps, [&](ArrayRef<Value> indices) {
    SmallVector<Value> place{at[0], at[1]};
    place.append(indices.begin(), indices.end());
    return extractElement(b, loc, input, place);
  });
  if (!node.has(4))
    return element;
  SmallVector<Value> from{at[0], field};
  from.append(at.begin() + 3, at.end());
  return s.mul(element, extractElement(b, loc, node.in(4), from));
}

/// y[n, g, f, pixel] += w[g, f, k] * x[n, g, k, pixel].
static Value contract(NodeContext &node, const Deformed &conv, Value columns,
                      Value init) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(init), filters = emit.sizesOf(node.in(1));
  ArrayRef<int64_t> shape = tensorTypeOf(node.in(1)).getShape();
  OpFoldResult pixels = emit.product(conv.output);
  OpFoldResult groups = emit.index(conv.groups);
  OpFoldResult each = emit.index(shape[0] / conv.groups);
  OpFoldResult depth = emit.index(shape[1] * conv.area);
  Value weight = emit.reshape(node.in(1), {groups, each, depth});
  columns = emit.reshape(columns, {sizes[0], groups, depth, pixels});
  init = emit.reshape(init, {sizes[0], groups, each, pixels});
  AffineExpr n, g, f, pixel, k;
  bindDims(emit.builder.getContext(), n, g, f, pixel, k);
  auto maps = AffineMap::inferFromExprList(
      ArrayRef<ArrayRef<AffineExpr>>{
          {g, f, k}, {n, g, k, pixel}, {n, g, f, pixel}},
      emit.builder.getContext());
  DType dtype = node.dtype();
  Value result = emit.generic({weight, columns}, maps, init,
                              {false, false, false, false, true},
                              [&](OpBuilder &at, Location loc, ValueRange v) {
                                Scalars s(at, loc, dtype);
                                return s.add(v[2], s.mul(v[0], v[1]));
                              });
  return emit.reshape(result, sizes);
}

static LogicalResult deformConv(NodeContext &node) {
  FailureOr<Deformed> conv = readDeformed(node);
  if (failed(conv))
    return failure();
  Emitter &emit = node.emit;
  Sizes input = emit.sizesOf(node.in(0));
  SmallVector<Value> extents = emit.asValues(input);
  int64_t channels = tensorTypeOf(node.in(1)).getDimSize(1) * conv->groups;
  Sizes gathered{input[0], emit.index(channels), emit.index(conv->area)};
  gathered.append(conv->output);
  Value columns =
      emit.generate(gathered, node.elementType(),
                    [&](OpBuilder &b, Location loc, ValueRange at) {
                      return movedElement(b, loc, node, *conv, extents, at);
                    });
  int64_t filters = tensorTypeOf(node.in(1)).getDimSize(0);
  Sizes sizes{input[0], emit.index(filters)};
  sizes.append(conv->output);
  Value init = channelBias(node, 3, sizes);
  return node.result(contract(node, *conv, columns, init), node.dtype());
}

void lh::addDeformConvOps(OpTable &table) {
  using namespace OpRule;
  table.add("DeformConv", {19, 3, Float | Same | WidenHalf, deformConv});
}
