// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which files an ONNX model takes tensors from.
#include "compiler/ingress/onnx/ModelFiles.h"

#include "compiler/ingress/onnx/OnnxModel.h"
#include "core/support/FileSystem.h"

#include "llvm/Support/MemoryBuffer.h"

#include <set>

using namespace lh;

namespace {

class Collector {
public:
  explicit Collector(std::string folder) : folder(std::move(folder)) {}

  void add(const OnnxGraph &graph) {
    for (const OnnxTensor &tensor : graph.initializers)
      add(tensor);
    add(graph.nodes);
  }
  void add(const std::vector<OnnxNode> &nodes) {
    for (const OnnxNode &node : nodes)
      for (const OnnxAttribute &attribute : node.attributes) {
        if (attribute.tensor)
          add(*attribute.tensor);
        if (attribute.graph)
          add(*attribute.graph);
      }
  }

  std::set<std::string> files;

private:
  void add(const OnnxTensor &tensor) {
    if (tensor.isExternal)
      files.insert(absolutePath(StringRef(tensor.location), folder));
  }

  std::string folder;
};

} // namespace

std::vector<std::string> lh::externalFilesOf(const std::string &model) {
  CollectingSink ignored; // whoever imports it will say
  FailureOr<OnnxModel> read = readOnnxModel(model, ignored);
  if (failed(read))
    return {};
  Collector collector(folderOf(read->path));
  collector.add(read->graph);
  for (const OnnxFunction &function : read->functions)
    collector.add(function.nodes);
  return {collector.files.begin(), collector.files.end()};
}
