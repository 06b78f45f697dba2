// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of elements of any type, for the operators built from them.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_REDUCTION_H
#define LH_COMPILER_INGRESS_ONNX_OPS_REDUCTION_H

#include "compiler/ingress/onnx/NodeContext.h"

namespace lh {

// They drop the marked axes and compute in `dtype`.
mlir::Value emitSum(NodeContext &node, mlir::Value tensor, ArrayRef<bool> axes,
                    DType dtype);
mlir::Value emitMax(NodeContext &node, mlir::Value tensor, ArrayRef<bool> axes,
                    DType dtype);
mlir::Value emitMean(NodeContext &node, mlir::Value tensor, ArrayRef<bool> axes,
                     DType dtype);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_REDUCTION_H
