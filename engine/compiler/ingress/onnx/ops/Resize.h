// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Resize does to each dimension, once its attributes are read.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_RESIZE_H
#define LH_COMPILER_INGRESS_ONNX_OPS_RESIZE_H

#include "compiler/ingress/onnx/OpTable.h"

namespace lh {

enum class ResizeMode { Nearest, Linear, Cubic };

/// How one resized dimension is sampled. Scales are scalars of float64, so
/// that exactly representable positions stay exact.
struct ResizeAxis {
  mlir::Value inputSize, outputSize; ///< index
  mlir::Value scale;                 ///< output per input
  std::optional<double> knownScale;  ///< the same, where the model tells
  mlir::Value length;                ///< output size before it is rounded
  mlir::Value roiStart, roiEnd;      ///< tf_crop_and_resize only
  bool isResized = false;
};

struct Resize {
  ResizeMode mode = ResizeMode::Nearest;
  std::string coordinates, nearest;
  double cubicCoefficient = -0.75;
  bool excludesOutside = false;
  bool antialiases = false;
  double extrapolation = 0.0;
  std::vector<ResizeAxis> axes; ///< one per dimension
  Sizes sizes;                  ///< of the result

  bool crops() const { return coordinates == "tf_crop_and_resize"; }
};

/// The resized input 0.
mlir::Value emitResized(NodeContext &node, const Resize &resize);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_RESIZE_H
