// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisation over the trailing axes, for the operators of all domains.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_LAYERNORMALIZATION_H
#define LH_COMPILER_INGRESS_ONNX_OPS_LAYERNORMALIZATION_H

#include "compiler/ingress/onnx/NodeContext.h"

namespace lh {

/// What is normalised, and how.
struct RowNorm {
  mlir::Value tensor;           ///< of elements of `dtype`
  llvm::SmallVector<bool> axes; ///< normalised over
  double epsilon = 1e-5;
  bool isCentred = true;         ///< the mean is subtracted first
  DType dtype = DType::Float32;  ///< statistics are computed in it
  mlir::Value scale, bias;       ///< of `affine`, optional, broadcast
  DType affine = DType::Float32; ///< scale and bias are applied in it
};

struct RowNormResult {
  mlir::Value normalized; ///< of `affine`
  /// With the axes kept as 1; no mean when not centred.
  mlir::Value mean, inverseDeviation;
};

/// (x - mean) / sqrt(variance + epsilon) * scale + bias. Shapes are known to
/// broadcast to the tensor's.
RowNormResult emitRowNorm(NodeContext &node, const RowNorm &norm);

/// A mean over the marked axes, which stay as 1.
mlir::Value emitMeanKept(NodeContext &node, mlir::Value tensor,
                         ArrayRef<bool> axes, DType dtype);

/// Fails unless `tensor` broadcasts to `target` without enlarging it.
LogicalResult checkBroadcast(NodeContext &node, mlir::Value tensor,
                             mlir::Value target, const Twine &what);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_LAYERNORMALIZATION_H
