// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sliding windows, as Conv and the pools share them.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_WINDOW_H
#define LH_COMPILER_INGRESS_ONNX_OPS_WINDOW_H

#include "compiler/ingress/onnx/OpTable.h"

namespace lh {

/// kernel_shape, strides, dilations, pads and auto_pad, checked.
struct Window {
  enum class AutoPad { None, SameUpper, SameLower, Valid };
  std::vector<int64_t> kernel, strides, dilations, low, high;
  AutoPad autoPad = AutoPad::None;
  bool roundsUp = false; ///< ceil_mode

  size_t rank() const { return kernel.size(); }
  /// What one window spans along dimension `i`.
  int64_t extent(size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
};

/// Padding per spatial dimension, as it is for this input's sizes.
struct Padding {
  Sizes low, high;
};

/// Reads the attributes of a node whose kernel has shape `kernel`. Fails on
/// lengths that don't fit, strides and dilations below 1, negative or absurdly
/// large values.
FailureOr<Window> readWindow(NodeContext &node, ArrayRef<int64_t> kernel);

/// Resolves auto_pad. `sizes` are the input's, batch and channels included.
Padding resolvePadding(Emitter &emit, const Sizes &sizes, const Window &window);

/// Window positions along dimension `i` of a padded size, rounding down.
mlir::OpFoldResult windowCount(Emitter &emit, mlir::OpFoldResult padded,
                               const Window &window, size_t i);

/// Fails when a known input is smaller than the window.
LogicalResult checkWindowFits(NodeContext &node, const Sizes &sizes,
                              const Window &window, const Padding &padding);

mlir::Value padSpatially(Emitter &emit, mlir::Value input,
                         const Padding &padding, mlir::Value scalar);

/// Fails unless input 0 has at least one spatial dimension and input 1, the
/// filters, the same rank and a static shape.
LogicalResult checkFilters(NodeContext &node);

/// What the sums of a convolution begin with: input `i`, an element for each
/// channel, or zeros without it.
mlir::Value channelBias(NodeContext &node, size_t i, const Sizes &sizes);

/// Brings the channels of (batch, spatial..., channels) behind the batch.
mlir::Value channelsSecond(Emitter &emit, mlir::Value tensor);
/// The way back.
mlir::Value channelsLast(Emitter &emit, mlir::Value tensor);

/// Where position `k` of a kernel finds the element that it spreads to an
/// output, along one dimension.
struct Source {
  mlir::Value index;   ///< inside the input, whatever `matches` says
  mlir::Value matches; ///< i1: there is such an element
};

/// The element (output + cut - k * dilation) / stride, where that is whole and
/// below `size`.
Source sourceOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value output,
                mlir::Value cut, mlir::Value k, mlir::Value size,
                int64_t stride, int64_t dilation);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_WINDOW_H
