// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of any rank, number of groups and element type.
#ifndef LH_COMPILER_INGRESS_EMIT_CONVOLUTION_H
#define LH_COMPILER_INGRESS_EMIT_CONVOLUTION_H

#include "compiler/ingress/emit/Window.h"

namespace lh {

/// A convolution of (batch, channels, spatial...) by (filters, channels of a
/// group, kernel...), whose sizes fit.
struct ConvolutionPlan {
  Window window;
  Padding padding;
  int64_t groups = 1;
};

/// Makes images of one row of a convolution of lines, and leaves all others.
/// Before padding: what pads an image is read in place.
void takeLinesAsImages(Emitter &emit, ConvolutionPlan &plan, mlir::Value &input,
                       mlir::Value &weight);
/// A result with `rank` dimensions: of lines that were taken as images.
mlir::Value inRank(Emitter &emit, mlir::Value result, int64_t rank);

/// Whether this is a convolution of volumes of known sizes.
bool convolvesVolumes(const ConvolutionPlan &plan, mlir::Value padded);
/// It as a convolution of the images that volumes are made of, with the slices
/// of a window as channels.
mlir::Value convolveVolumes(Emitter &emit, const ConvolutionPlan &plan,
                            mlir::Value padded, mlir::Value weight,
                            mlir::Value bias, DType dtype);

/// Convolves what padSpatially() gives; all operands hold `dtype`.
mlir::Value emitConvolution(Emitter &emit, const ConvolutionPlan &plan,
                            mlir::Value padded, mlir::Value weight,
                            mlir::Value bias, DType dtype);

} // namespace lh

#endif // LH_COMPILER_INGRESS_EMIT_CONVOLUTION_H
