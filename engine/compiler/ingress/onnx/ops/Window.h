// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes of sliding windows, as Conv and the pools share them.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_WINDOW_H
#define LH_COMPILER_INGRESS_ONNX_OPS_WINDOW_H

#include "compiler/ingress/emit/Window.h"
#include "compiler/ingress/onnx/OpTable.h"

namespace lh {

/// kernel_shape, strides, dilations, pads and auto_pad of a node whose kernel has shape `kernel`. Fails on
/// lengths that don't fit, strides and dilations below 1, negative or absurdly
/// large values.
FailureOr<Window> readWindow(NodeContext &node, ArrayRef<int64_t> kernel);

/// Resolves auto_pad. `sizes` are the input's, batch and channels included.
Padding resolvePadding(Emitter &emit, const Sizes &sizes, const Window &window);

/// Fails when a known input is smaller than the window.
LogicalResult checkWindowFits(NodeContext &node, const Sizes &sizes,
                              const Window &window, const Padding &padding);

/// Fails unless input 0 has at least one spatial dimension and input 1, the
/// filters, the same rank and a static shape.
LogicalResult checkFilters(NodeContext &node);

/// What the sums of a convolution begin with: input `i`, an element for each
/// channel, or zeros without it.
mlir::Value channelBias(NodeContext &node, size_t i, const Sizes &sizes);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_WINDOW_H
