// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The discrete Fourier transform of rows of complex numbers.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_FOURIER_H
#define LH_COMPILER_INGRESS_ONNX_OPS_FOURIER_H

#include "compiler/ingress/onnx/NodeContext.h"

namespace lh {

struct FourierTransform {
  mlir::OpFoldResult length; ///< of the transform
  mlir::OpFoldResult bins;   ///< how many of its results are wanted
  bool isInverse = false;    ///< conjugate, and divided by the length
};

/// Transforms float64 (rows, n, c), c = 1 (real) or 2 (real and imaginary part)
/// to (rows, bins, 2). What is missing up to the length counts as zeros, what
/// is beyond doesn't count.
mlir::Value emitFourier(NodeContext &node, mlir::Value rows,
                        const FourierTransform &transform);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_FOURIER_H
