// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model's nodes, each as a model of its own.
#ifndef LH_COMPILER_INGRESS_ONNX_NODEMODELS_H
#define LH_COMPILER_INGRESS_ONNX_NODEMODELS_H

#include "compiler/ingress/onnx/OnnxImporter.h"
#include "compiler/ingress/onnx/OnnxModel.h"

#include <map>

namespace lh {

/// What a value of the model was in a run.
struct NodeValue {
  DType dtype = DType::Float32;
  std::vector<int64_t> shape;
};

/// Reads a model once, and imports parts of it.
class NodeModels {
public:
  using Module = mlir::OwningOpRef<mlir::ModuleOp>;

  static FailureOr<NodeModels> open(OnnxImportOptions options,
                                    DiagnosticSink &sink);

  ArrayRef<OnnxNode> nodes() const { return whole.nodes; }

  /// The whole model, which returns what each of its nodes gives.
  FailureOr<Module> importWhole(mlir::MLIRContext &context,
                                DiagnosticSink &sink);

  /// Node `index` alone. Its inputs are what `values` tells the type of;
  /// constants and short integers (shapes, axes), which converters must know,
  /// come along with the nodes that compute them.
  FailureOr<Module> importNode(size_t index,
                               const std::map<std::string, NodeValue> &values,
                               mlir::MLIRContext &context,
                               DiagnosticSink &sink);

private:
  NodeModels(OnnxImportOptions options, OnnxModel model);

  FailureOr<Module> import(OnnxGraph part, const OnnxImportOptions &with,
                           mlir::MLIRContext &context, DiagnosticSink &sink);

  OnnxImportOptions options;
  OnnxModel model;
  OnnxGraph whole;
  std::map<std::string_view, size_t> makers; ///< the node that gives a value
};

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_NODEMODELS_H
