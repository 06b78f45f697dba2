// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nodes of an ONNX model as modules of their own, in files.
#ifndef LH_COMPILER_SESSION_NODEMODULES_H
#define LH_COMPILER_SESSION_NODEMODULES_H

#include "core/numerics/Tensor.h"
#include "core/plan/Plan.h"

namespace lh {

class MlirSession;

/// One node of a model.
struct ModelNode {
  std::string name, opType;
  std::vector<std::string> outputs;
};

/// Reads a model once and writes parts of it as bytecode.
class NodeModules {
public:
  /// `import` is of an ONNX model. Fails as its import does.
  static FailureOr<NodeModules>
  open(const ImportAction &import, MlirSession &session, DiagnosticSink &sink);
  ~NodeModules();
  NodeModules(NodeModules &&) noexcept;

  ArrayRef<ModelNode> nodes() const;

  /// The whole model, which also returns what every node gives.
  LogicalResult writeWhole(const std::string &file, DiagnosticSink &sink);

  /// Node `index` alone, for inputs of the types and shapes that `values` has
  /// for their names. Returns the names of its inputs in order.
  FailureOr<std::vector<std::string>>
  writeNode(size_t index, const std::map<std::string, Tensor> &values,
            const std::string &file, DiagnosticSink &sink);

private:
  struct State;
  explicit NodeModules(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace lh

#endif // LH_COMPILER_SESSION_NODEMODULES_H
