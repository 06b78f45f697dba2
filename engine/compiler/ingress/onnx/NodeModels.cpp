// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model's nodes, each as a model of its own.
#include "compiler/ingress/onnx/NodeModels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <set>

using namespace lh;

/// Integers of so many elements at most may be a shape or a list of axes.
constexpr int64_t mostIndices = 64;

NodeModels::NodeModels(OnnxImportOptions options, OnnxModel model)
    : options(std::move(options)), model(std::move(model)),
      whole(this->model.graph) {
  for (auto [index, node] : llvm::enumerate(whole.nodes))
    for (std::string_view output : node.outputs)
      if (!output.empty())
        makers.try_emplace(output, index);
}

FailureOr<NodeModels> NodeModels::open(OnnxImportOptions options,
                                       DiagnosticSink &sink) {
  FailureOr<OnnxModel> model = readOnnxModel(options.path, sink);
  if (failed(model))
    return failure();
  return NodeModels(std::move(options), std::move(*model));
}

FailureOr<NodeModels::Module> NodeModels::import(OnnxGraph part,
                                                 const OnnxImportOptions &with,
                                                 mlir::MLIRContext &context,
                                                 DiagnosticSink &sink) {
  model.graph = std::move(part);
  return importModel(model, with, context, sink);
}

/// An output of whatever type and shape the nodes give it.
static OnnxValueInfo untyped(std::string_view name) {
  OnnxValueInfo info;
  info.name = name;
  return info;
}

FailureOr<NodeModels::Module>
NodeModels::importWhole(mlir::MLIRContext &context, DiagnosticSink &sink) {
  OnnxGraph graph = whole;
  graph.outputs.clear();
  for (const OnnxNode &node : whole.nodes)
    for (std::string_view output : node.outputs)
      if (!output.empty())
        graph.outputs.push_back(untyped(output));
  return import(std::move(graph), options, context, sink);
}

/// All names that a node refers to, in its subgraphs as well.
static void collectNames(const OnnxNode &node,
                         std::vector<std::string_view> &names) {
  llvm::append_range(names, node.inputs);
  for (const OnnxAttribute &attribute : node.attributes) {
    if (!attribute.graph)
      continue;
    for (const OnnxNode &inner : attribute.graph->nodes)
      collectNames(inner, names);
    for (const OnnxValueInfo &output : attribute.graph->outputs)
      names.push_back(output.name);
  }
}

static bool isIndexLike(const NodeValue &value) {
  int64_t elements = 1;
  for (int64_t size : value.shape)
    elements *= size;
  return (value.dtype == DType::Int64 || value.dtype == DType::Int32) &&
         value.shape.size() <= 1 && elements <= mostIndices;
}

static OnnxValueInfo typed(std::string_view name, const NodeValue &value) {
  OnnxValueInfo info;
  info.name = name;
  info.kind = OnnxValueInfo::Kind::Tensor;
  info.elementType = onnxTypeOf(value.dtype);
  info.shape.emplace();
  for (int64_t size : value.shape)
    info.shape->push_back({size, {}});
  return info;
}

FailureOr<NodeModels::Module>
NodeModels::importNode(size_t index,
                       const std::map<std::string, NodeValue> &values,
                       mlir::MLIRContext &context, DiagnosticSink &sink) {
  OnnxGraph part;
  part.bytes = whole.bytes;
  part.name = whole.name;
  std::set<size_t> kept = {index};
  std::set<std::string_view> seen;
  std::vector<size_t> open = {index};
  while (!open.empty()) {
    std::vector<std::string_view> names;
    collectNames(whole.nodes[open.back()], names);
    open.pop_back();
    for (std::string_view name : names) {
      if (name.empty() || !seen.insert(name).second)
        continue;
      auto initializer =
          llvm::find_if(whole.initializers, [&](const OnnxTensor &tensor) {
            return tensor.name == name;
          });
      if (initializer != whole.initializers.end()) {
        part.initializers.push_back(*initializer);
        continue;
      }
      auto value = values.find(std::string(name));
      auto maker = makers.find(name);
      bool comesAlong = maker != makers.end() &&
                        (whole.nodes[maker->second].opType == "Constant" ||
                         (value != values.end() && isIndexLike(value->second)));
      if (comesAlong) {
        if (kept.insert(maker->second).second)
          open.push_back(maker->second);
      } else if (value != values.end()) {
        part.inputs.push_back(typed(name, value->second));
      } // else a name of the subgraph's own
    }
  }
  for (size_t node : kept)
    part.nodes.push_back(whole.nodes[node]);
  for (std::string_view output : whole.nodes[index].outputs)
    if (!output.empty())
      part.outputs.push_back(untyped(output));
  OnnxImportOptions unbound;
  unbound.path = options.path;
  return import(std::move(part), unbound, context, sink);
}
