// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The position of a largest or smallest element.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_ARGEXTREME_H
#define LH_COMPILER_INGRESS_ONNX_OPS_ARGEXTREME_H

#include "compiler/ingress/onnx/NodeContext.h"

namespace lh {

struct ArgExtreme {
  bool isMax = true, takesLast = false;
};

/// The position (int64) of the largest (smallest) element along `axis`, which
/// the result lacks; of several, the first (last). NaN beats every number.
mlir::Value emitArgExtreme(NodeContext &node, mlir::Value tensor, int64_t axis,
                           DType dtype, ArgExtreme kind);

/// Notes on the operation that makes `positions` that they are along `axis` of
/// the tensor whose elements it compares: the oracle judges them by these.
void markPicks(mlir::Value positions, int64_t axis);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_ARGEXTREME_H
