// Convolutions, as Conv and its integer forms share them.
#ifndef LH_INGRESS_OPS_CONVOLUTION_H
#define LH_INGRESS_OPS_CONVOLUTION_H

#include "ingress/ops/Window.h"

namespace lh {

/// The attributes of a convolution, checked against its operands.
struct ConvolutionPlan {
  Window window;
  Padding padding;
  int64_t groups = 1;
};

/// `input` is (batch, channels, spatial...), `weight` (filters, channels per
/// group, kernel...) and static; `bias`, one number per filter, may be null.
FailureOr<ConvolutionPlan> planConvolution(NodeContext &node, mlir::Value input,
                                           mlir::Value weight,
                                           mlir::Value bias);

/// Convolves what padSpatially() gives; all operands hold `dtype`.
mlir::Value emitConvolution(NodeContext &node, const ConvolutionPlan &plan,
                            mlir::Value padded, mlir::Value weight,
                            mlir::Value bias, DType dtype);

} // namespace lh

#endif // LH_INGRESS_OPS_CONVOLUTION_H
