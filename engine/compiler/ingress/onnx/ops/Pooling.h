// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools that other operators are made of.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_POOLING_H
#define LH_COMPILER_INGRESS_ONNX_OPS_POOLING_H

#include "compiler/ingress/onnx/OpTable.h"

namespace lh {

/// AveragePool of input 0, by the node's attributes.
LogicalResult convertAveragePool(NodeContext &node);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_POOLING_H
