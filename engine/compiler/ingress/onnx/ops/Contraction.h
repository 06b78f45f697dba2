// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices, for the operators that are built from them.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_CONTRACTION_H
#define LH_COMPILER_INGRESS_ONNX_OPS_CONTRACTION_H

#include "compiler/ingress/onnx/Emitter.h"

namespace lh {

/// (batch, m, k) by (batch, k, n), or by (batch, n, k) when `transposesB`, of
/// elements of `dtype`.
mlir::Value emitBatchMatmul(Emitter &emit, mlir::Value a, mlir::Value b,
                            bool transposesB, DType dtype);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_CONTRACTION_H
