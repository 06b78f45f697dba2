// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of lines and volumes as convolutions of images, which schedules
// know.
#include "compiler/ingress/emit/Convolution.h"

using namespace lh;
using namespace mlir;

static Value asPlane(Emitter &emit, Value line) {
  Sizes sizes = emit.sizesOf(line);
  sizes.insert(sizes.begin() + 2, emit.index(1));
  return emit.reshape(line, sizes);
}

void lh::takeLinesAsImages(Emitter &emit, ConvolutionPlan &plan, Value &input,
                           Value &weight) {
  Window &window = plan.window;
  if (window.rank() != 1)
    return;
  input = asPlane(emit, input);
  weight = asPlane(emit, weight);
  for (auto *numbers : {&window.kernel, &window.strides, &window.dilations})
    numbers->insert(numbers->begin(), 1);
  for (auto *numbers : {&window.low, &window.high})
    numbers->insert(numbers->begin(), 0);
  for (Sizes *sizes : {&plan.padding.low, &plan.padding.high})
    sizes->insert(sizes->begin(), emit.index(0));
}

Value lh::inRank(Emitter &emit, Value result, int64_t rank) {
  if (rankOf(result) == rank)
    return result;
  Sizes sizes = emit.sizesOf(result);
  sizes.erase(sizes.begin() + 2);
  return emit.reshape(result, sizes);
}

bool lh::convolvesVolumes(const ConvolutionPlan &plan, Value padded) {
  return plan.window.rank() == 3 && tensorTypeOf(padded).hasStaticShape();
}

/// The window's slices for each slice of the result, side by side as channels:
/// [n][g c][z][y][x] as [n z'][g k c][y][x], k over the window's depth.
static Value stackSlices(Emitter &emit, Value padded,
                         const ConvolutionPlan &plan, int64_t depth) {
  ArrayRef<int64_t> shape = tensorTypeOf(padded).getShape();
  int64_t channels = shape[1] / plan.groups, slices = plan.window.kernel[0];
  AffineExpr n, z, g, k, c, y, x;
  bindDims(emit.builder.getContext(), n, z, g, k, c, y, x);
  SmallVector<AffineExpr> from = {
      n, g * channels + c,
      z * plan.window.strides[0] + k * plan.window.dilations[0], y, x};
  MLIRContext *context = emit.builder.getContext();
  Sizes sizes = emit.staticSizes(
      {shape[0], depth, plan.groups, slices, channels, shape[3], shape[4]});
  Value stacked =
      emit.generic({padded},
                   {AffineMap::get(7, 0, from, context),
                    AffineMap::getMultiDimIdentityMap(7, context)},
                   emit.empty(sizes, tensorTypeOf(padded).getElementType()),
                   SmallVector<bool>(7, false),
                   [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  return emit.reshape(stacked,
                      emit.staticSizes({shape[0] * depth, shape[1] * slices,
                                        shape[3], shape[4]}));
}

Value lh::convolveVolumes(Emitter &emit, const ConvolutionPlan &plan,
                          Value padded, Value weight, Value bias, DType dtype) {
  int64_t batch = tensorTypeOf(padded).getDimSize(0);
  int64_t depth =
      *emit.known(windowCount(emit, emit.sizesOf(padded)[2], plan.window, 0));
  ConvolutionPlan planes = plan;
  for (auto *numbers : {&planes.window.kernel, &planes.window.strides,
                        &planes.window.dilations})
    numbers->erase(numbers->begin());
  ArrayRef<int64_t> filters = tensorTypeOf(weight).getShape();
  Sizes flat = emit.staticSizes(
      {filters[0], filters[1] * filters[2], filters[3], filters[4]});
  weight = emit.reshape(emit.transpose(weight, {0, 2, 1, 3, 4}), flat);
  Value result =
      emitConvolution(emit, planes, stackSlices(emit, padded, plan, depth),
                      weight, bias, dtype);
  ArrayRef<int64_t> shape = tensorTypeOf(result).getShape();
  Sizes sizes = emit.staticSizes({batch, depth, shape[1], shape[2], shape[3]});
  return emit.transpose(emit.reshape(result, sizes), {0, 2, 1, 3, 4});
}
