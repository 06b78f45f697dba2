// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes of convolutions, as Conv and its integer forms share them.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_CONVOLUTION_H
#define LH_COMPILER_INGRESS_ONNX_OPS_CONVOLUTION_H

#include "compiler/ingress/emit/Convolution.h"
#include "compiler/ingress/onnx/ops/Window.h"

namespace lh {

/// `input` is (batch, channels, spatial...), `weight` (filters, channels per
/// group, kernel...) and static; `bias`, one number per filter, may be null.
FailureOr<ConvolutionPlan> planConvolution(NodeContext &node, mlir::Value input,
                                           mlir::Value weight,
                                           mlir::Value bias);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_CONVOLUTION_H
