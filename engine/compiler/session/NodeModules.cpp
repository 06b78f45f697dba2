// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nodes of an ONNX model as modules of their own, in files.
#include "compiler/session/NodeModules.h"

#include "compiler/gaps/Marks.h"
#include "compiler/ingress/onnx/NodeModels.h"
#include "compiler/session/BoundShapes.h"
#include "compiler/session/ModuleFile.h"
#include "core/support/FileSystem.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace lh;

struct NodeModules::State {
  NodeModels models;
  MlirSession &session;
  std::vector<ModelNode> nodes;
};

NodeModules::NodeModules(std::unique_ptr<State> state)
    : state(std::move(state)) {}
NodeModules::~NodeModules() = default;
NodeModules::NodeModules(NodeModules &&) noexcept = default;

ArrayRef<ModelNode> NodeModules::nodes() const { return state->nodes; }

FailureOr<NodeModules> NodeModules::open(const ImportAction &import,
                                         MlirSession &session,
                                         DiagnosticSink &sink) {
  FailureOr<NodeModels> models =
      NodeModels::open({import.path, boundShapes(import)}, sink);
  if (failed(models))
    return failure();
  std::vector<ModelNode> nodes;
  for (const OnnxNode &node : models->nodes()) {
    ModelNode &known =
        nodes.emplace_back(ModelNode{node.displayName(), node.fullName(), {}});
    for (std::string_view output : node.outputs)
      if (!output.empty())
        known.outputs.emplace_back(output);
  }
  return NodeModules(std::make_unique<State>(
      State{std::move(*models), session, std::move(nodes)}));
}

static LogicalResult write(mlir::ModuleOp module, const std::string &file,
                           DiagnosticSink &sink) {
  return writeFileAtomically(file, moduleBytecode(module), {}, sink);
}

LogicalResult NodeModules::writeWhole(const std::string &file,
                                      DiagnosticSink &sink) {
  auto module = state->models.importWhole(state->session.context(), sink);
  if (failed(module))
    return failure();
  return write(**module, file, sink);
}

FailureOr<std::vector<std::string>>
NodeModules::writeNode(size_t index,
                       const std::map<std::string, Tensor> &values,
                       const std::string &file, DiagnosticSink &sink) {
  std::map<std::string, NodeValue> types;
  for (const auto &[name, tensor] : values)
    types[name] = {tensor.dtype(), tensor.shape().vec()};
  auto module =
      state->models.importNode(index, types, state->session.context(), sink);
  if (failed(module) || failed(write(**module, file, sink)))
    return failure();
  std::vector<std::string> inputs;
  auto main = (*module)->lookupSymbol<mlir::func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (!main.getArgAttr(i, weightMark))
      inputs.push_back(
          main.getArgAttrOfType<mlir::StringAttr>(i, nameMark).str());
  return inputs;
}
