// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What If and both kinds of loops share.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_CONTROLFLOW_H
#define LH_COMPILER_INGRESS_ONNX_OPS_CONTROLFLOW_H

#include "compiler/ingress/onnx/NodeContext.h"

namespace lh {

/// The value of a constant tensor of one bool; nothing for others.
std::optional<bool> knownTruth(mlir::Value tensor);

/// Makes the first of `values` the node's results; an error if there are too
/// few.
LogicalResult keepAll(NodeContext &node, std::vector<ImportedValue> values);

/// Imports the node, a Loop over `body` that carries lists, as often as it
/// goes round. Its count and conditions must be known, or be the case's.
LogicalResult unrollLoop(NodeContext &node, const OnnxGraph &body);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_CONTROLFLOW_H
