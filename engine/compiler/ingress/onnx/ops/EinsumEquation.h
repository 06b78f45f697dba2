// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of an Einsum: which label stands for which dimension.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_EINSUMEQUATION_H
#define LH_COMPILER_INGRESS_ONNX_OPS_EINSUMEQUATION_H

#include "compiler/ingress/emit/Products.h"
#include "compiler/ingress/onnx/NodeContext.h"

namespace lh {

/// A label is a letter's code, or for dimensions of an ellipsis this plus the
/// distance from the ellipsis' last dimension.
constexpr Label ellipsisLabel = 256;

struct EinsumEquation {
  std::vector<Labels> inputs;
  Labels output;
};

/// Reads `equation` for inputs of the given ranks. Without "->" the output has
/// the ellipsis and then, in alphabetical order, the labels that occur once.
FailureOr<EinsumEquation> parseEinsum(const NodeContext &node,
                                      StringRef equation,
                                      ArrayRef<int64_t> ranks);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_EINSUMEQUATION_H
