// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops as ONNX has them: types settle while the body is built, results stack.
// A plain counted loop is in EmitterLoop.h.
#ifndef LH_COMPILER_INGRESS_ONNX_ONNXLOOP_H
#define LH_COMPILER_INGRESS_ONNX_ONNXLOOP_H

#include "compiler/ingress/onnx/NodeContext.h"

namespace lh {

/// What one iteration gives.
struct LoopStep {
  mlir::Value goesOn; ///< i1; null: another iteration follows while any is left
  std::vector<ImportedValue> carried;
  std::vector<ImportedValue> stacked; ///< one slice of each stacked result
};

struct LoopSpec {
  std::optional<mlir::OpFoldResult> count; ///< at most so many; >= 0
  mlir::Value starts;                      ///< i1; null: it does
  std::vector<ImportedValue> carried;      ///< with tensors
  /// Per stacked result: whether the last iteration's slice comes first.
  std::vector<bool> reversed;
};

/// Builds an iteration from its number (index) and the carried values. Called
/// again with wider types when an iteration changes the shape of what it
/// carries.
using OnnxLoopBody = llvm::function_ref<FailureOr<LoopStep>(
    mlir::Value iteration, ArrayRef<ImportedValue> carried)>;

/// Emits scf.for, or scf.while when an iteration decides whether the next one
/// follows. Returns the carried and then the stacked results; stacked ones get
/// a new outermost dimension. Needs a count or a `goesOn`.
FailureOr<std::vector<ImportedValue>>
emitOnnxLoop(NodeContext &node, const LoopSpec &spec, OnnxLoopBody body);

/// The type both fit into: dimensions that differ become dynamic. Fails when
/// the element types or ranks differ.
FailureOr<mlir::RankedTensorType> joinTypes(mlir::RankedTensorType a,
                                            mlir::RankedTensorType b);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_ONNXLOOP_H
