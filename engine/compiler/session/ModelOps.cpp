// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations that a model consists of.
#include "compiler/session/ModelOps.h"

#include "compiler/ingress/mlir/MlirImporter.h"
#include "compiler/ingress/onnx/OnnxModel.h"
#include "compiler/ingress/stablehlo/StablehloImporter.h"
#include "compiler/session/ModelFile.h"

using namespace lh;

static void addNodes(const std::vector<OnnxNode> &nodes,
                     std::set<std::string> &ops) {
  for (const OnnxNode &node : nodes) {
    bool isOwn = !node.domain.empty() && node.domain != "ai.onnx";
    ops.insert((isOwn ? std::string(node.domain) : "onnx") + "." +
               std::string(node.opType));
    for (const OnnxAttribute &attribute : node.attributes)
      if (attribute.graph)
        addNodes(attribute.graph->nodes, ops);
  }
}

FailureOr<std::set<std::string>> lh::opsOfModel(const std::string &path,
                                                MlirSession &session,
                                                DiagnosticSink &sink) {
  std::set<std::string> ops;
  IngressKind kind = kindOfModel(path);
  if (kind == IngressKind::Onnx) {
    FailureOr<OnnxModel> model = readOnnxModel(path, sink);
    if (failed(model))
      return failure();
    addNodes(model->graph.nodes, ops);
    for (const OnnxFunction &function : model->functions)
      addNodes(function.nodes, ops);
    return ops;
  }
  auto module = kind == IngressKind::Stablehlo
                    ? readStablehlo(path, session.context(), sink)
                    : importMlir(path, session.context(), sink);
  if (failed(module))
    return failure();
  (*module)->walk([&](mlir::Operation *op) {
    ops.insert(op->getName().getStringRef().str());
  });
  ops.erase("builtin.module");
  return ops;
}
