// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding, groups, dilations, and the named linalg convolutions.
#include "compiler/ingress/emit/Convolution.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace lh;
using namespace mlir;

/// The result's sizes: batch, output channels, window positions.
static Sizes resultSizes(Emitter &emit, const Sizes &padded,
                         OpFoldResult channels, const Window &window) {
  Sizes sizes{padded[0], channels};
  for (size_t i = 0; i < window.rank(); ++i)
    sizes.push_back(windowCount(emit, padded[2 + i], window, i));
  return sizes;
}

static Value biasOrZero(Emitter &emit, Value bias, const Sizes &sizes,
                        DType dtype) {
  if (!bias)
    return emit.filled(sizes, emit.scalars(dtype).number(0));
  Value init = emit.empty(sizes, emit.typeOf(dtype));
  SmallVector<int64_t> dimensions{0};
  for (size_t dim = 2; dim < sizes.size(); ++dim)
    dimensions.push_back(static_cast<int64_t>(dim));
  Value result = linalg::BroadcastOp::create(emit.builder, emit.loc, bias, init,
                                             dimensions)
                     ->getResult(0);
  return emit.remember(result, sizes);
}

template <typename Op>
static Value named(Emitter &emit, Value input, Value weight, Value init,
                   const Window &window) {
  Value result = Op::create(emit.builder, emit.loc, TypeRange{init.getType()},
                            ValueRange{input, weight}, ValueRange{init},
                            emit.builder.getI64TensorAttr(window.strides),
                            emit.builder.getI64TensorAttr(window.dilations))
                     .getResult(0);
  return emit.remember(result, emit.sizesOf(init));
}

/// Splits dimension `dim` of size g*n into (g, n).
static Value splitGroups(Emitter &emit, Value tensor, size_t dim,
                         int64_t groups) {
  Sizes sizes = emit.sizesOf(tensor);
  sizes[dim] = emit.index(*emit.known(sizes[dim]) / groups);
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(dim),
               emit.index(groups));
  return emit.reshape(tensor, sizes);
}

/// Grouped convolutions of ranks that have no named operation:
/// (n, g, f, spatial..., c, kernel...).
static Value groupedGeneric(Emitter &emit, Value input, Value weight,
                            Value init, const Window &window, DType dtype) {
  auto rank = static_cast<unsigned>(window.rank());
  Builder &b = emit.builder;
  auto dim = [&](unsigned i) { return b.getAffineDimExpr(i); };
  SmallVector<AffineExpr> x{dim(0), dim(1), dim(3 + rank)},
      w{dim(1), dim(2), dim(3 + rank)}, y{dim(0), dim(1), dim(2)};
  for (unsigned i = 0; i < rank; ++i) {
    AffineExpr out = dim(3 + i), kernel = dim(4 + rank + i);
    x.push_back(out * window.strides[i] + kernel * window.dilations[i]);
    w.push_back(kernel);
    y.push_back(out);
  }
  unsigned loops = 4 + 2 * rank;
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> exprs :
       {ArrayRef<AffineExpr>(x), ArrayRef<AffineExpr>(w),
        ArrayRef<AffineExpr>(y)})
    maps.push_back(AffineMap::get(loops, 0, exprs, b.getContext()));
  SmallVector<bool> reduces(loops, false);
  std::fill(reduces.begin() + 3 + rank, reduces.end(), true);
  return emit.generic({input, weight}, maps, init, reduces,
                      [&](OpBuilder &at, Location loc, ValueRange v) {
                        Scalars s(at, loc, dtype);
                        return s.add(v[2], s.mul(v[0], v[1]));
                      });
}

static Value convolveGroups(Emitter &emit, Value input, Value weight,
                            Value init, const Window &window, int64_t groups,
                            DType dtype) {
  Sizes sizes = emit.sizesOf(init);
  ArrayRef<int64_t> shape = tensorTypeOf(weight).getShape();
  bool isDepthwise = window.rank() == 2 && shape[1] == 1 && shape[0] == groups;
  if (isDepthwise) {
    Sizes kernel = emit.sizesOf(weight);
    weight = emit.reshape(weight, {kernel[0], kernel[2], kernel[3]});
    return named<linalg::DepthwiseConv2DNchwChwOp>(emit, input, weight, init,
                                                   window);
  }
  input = splitGroups(emit, input, 1, groups);
  weight = splitGroups(emit, weight, 0, groups);
  init = splitGroups(emit, init, 1, groups);
  Value result =
      window.rank() == 2
          ? named<linalg::Conv2DNgchwGfchwOp>(emit, input, weight, init, window)
          : groupedGeneric(emit, input, weight, init, window, dtype);
  return emit.reshape(result, sizes);
}

/// One tap and no stride: every pixel is multiplied by the filters, and nothing
/// has to be gathered.
static bool isPointwise(Value input, const Window &window) {
  auto isOne = [](int64_t value) { return value == 1; };
  return llvm::all_of(window.kernel, isOne) &&
         llvm::all_of(window.strides, isOne) &&
         llvm::none_of(tensorTypeOf(input).getShape().drop_front(2),
                       ShapedType::isDynamic);
}

/// y[n, f, pixel] = bias[f] + w[f, c] * x[n, c, pixel]; y has `sizes`.
static Value pointwise(Emitter &emit, Value input, Value weight, Value bias,
                       const Sizes &sizes, DType dtype) {
  Sizes filters = emit.sizesOf(weight), channels = emit.sizesOf(input);
  OpFoldResult pixels = emit.product(ArrayRef(sizes).drop_front(2));
  input = emit.reshape(input, {channels[0], channels[1], pixels});
  weight = emit.reshape(weight, {filters[0], filters[1]});
  Value init = biasOrZero(emit, bias, {sizes[0], sizes[1], pixels}, dtype);
  AffineExpr n, f, pixel, c;
  bindDims(emit.builder.getContext(), n, f, pixel, c);
  auto maps = AffineMap::inferFromExprList(
      ArrayRef<ArrayRef<AffineExpr>>{{f, c}, {n, c, pixel}, {n, f, pixel}},
      emit.builder.getContext());
  Value result =
      emit.generic({weight, input}, maps, init, {false, false, false, true},
                   [&](OpBuilder &at, Location loc, ValueRange v) {
                     Scalars s(at, loc, dtype);
                     return s.add(v[2], s.mul(v[0], v[1]));
                   });
  return emit.reshape(result, sizes);
}

static Value convolve(Emitter &emit, Value input, Value weight, Value init,
                      const Window &window, int64_t groups, DType dtype) {
  if (groups > 1 || window.rank() > 3)
    return convolveGroups(emit, input, weight, init, window, groups, dtype);
  if (window.rank() == 1)
    return named<linalg::Conv1DNcwFcwOp>(emit, input, weight, init, window);
  if (window.rank() == 2)
    return named<linalg::Conv2DNchwFchwOp>(emit, input, weight, init, window);
  return named<linalg::Conv3DNcdhwFcdhwOp>(emit, input, weight, init, window);
}

/// The input with the number of channels that W implies, where its type leaves
/// them open.
static Value withChannels(Emitter &emit, Value input, int64_t channels) {
  RankedTensorType type = tensorTypeOf(input);
  SmallVector<int64_t> shape(type.getShape());
  shape[1] = channels;
  return emit.castTo(input,
                     RankedTensorType::get(shape, type.getElementType()));
}

/// Without what a single window leaves over at its end: with the loop over
/// windows gone, an operand's size must be the window's.
static Value trimmed(Emitter &emit, Value padded, const Window &window) {
  Sizes sizes = emit.sizesOf(padded);
  bool leavesOver = false;
  for (size_t i = 0; i < window.rank(); ++i) {
    std::optional<int64_t> size = emit.known(sizes[2 + i]);
    int64_t extent = window.extent(i);
    if (!size || *size <= extent || *size - extent >= window.strides[i])
      continue;
    sizes[2 + i] = emit.index(extent);
    leavesOver = true;
  }
  if (!leavesOver)
    return padded;
  return emit.slice(padded, Sizes(sizes.size(), emit.index(0)), sizes,
                    Sizes(sizes.size(), emit.index(1)));
}

Value lh::emitConvolution(Emitter &emit, const ConvolutionPlan &plan,
                          Value padded, Value weight, Value bias, DType dtype) {
  Sizes sizes = resultSizes(emit, emit.sizesOf(padded), emit.sizesOf(weight)[0],
                            plan.window);
  padded = trimmed(emit, padded, plan.window);
  padded = withChannels(emit, padded,
                        tensorTypeOf(weight).getDimSize(1) * plan.groups);
  if (plan.groups == 1 && isPointwise(padded, plan.window))
    return pointwise(emit, padded, weight, bias, sizes, dtype);
  if (convolvesVolumes(plan, padded))
    return convolveVolumes(emit, plan, padded, weight, bias, dtype);
  Value init = biasOrZero(emit, bias, sizes, dtype);
  return convolve(emit, padded, weight, init, plan.window, plan.groups, dtype);
}
