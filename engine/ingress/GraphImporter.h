// Turns the nodes of a model into the body of @main.
#ifndef LH_INGRESS_GRAPHIMPORTER_H
#define LH_INGRESS_GRAPHIMPORTER_H

#include "ingress/OnnxImporter.h"
#include "ingress/OpTable.h"
#include "ingress/TensorData.h"

#include "llvm/ADT/StringMap.h"

namespace lh {

/// Imports one graph. Use once.
class GraphImporter {
public:
  GraphImporter(const OnnxModel &model, const OnnxImportOptions &options,
                mlir::MLIRContext &context, DiagnosticSink &sink);

  FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> run();

private:
  /// An entry argument before the function exists.
  struct Argument {
    std::string name;
    DType dtype;
    mlir::RankedTensorType type;
    std::optional<TensorData> weight;
    std::vector<std::string> symbols; ///< of dynamic dimensions
  };

  LogicalResult checkOperators();
  LogicalResult collectInputs();
  FailureOr<std::vector<int64_t>> inputShape(const OnnxValueInfo &input,
                                             size_t position,
                                             std::vector<std::string> &symbols);
  const BoundShape *boundShape(StringRef name, size_t position) const;
  LogicalResult collectTensors();
  LogicalResult addTensor(const OnnxTensor &tensor, StringRef name);
  void makeFunction();
  mlir::DictionaryAttr attributesOf(const Argument &argument);
  LogicalResult materializeConstants();
  LogicalResult convertNodes();
  LogicalResult convertNode(const OnnxNode &node);
  FailureOr<std::vector<ImportedValue *>> inputsOf(const OnnxNode &node,
                                                   bool &isPoisoned);
  LogicalResult keepResults(const OnnxNode &node, NodeContext &context,
                            std::optional<DType> half);
  LogicalResult finish();
  FailureOr<mlir::Value> finishOutput(const OnnxValueInfo &output,
                                      ImportedValue &value);
  LogicalResult define(StringRef name, ImportedValue value);
  void eraseDeadOperations();
  mlir::Location locationOf(StringRef name);

  const OnnxModel &model;
  const OnnxImportOptions &options;
  mlir::MLIRContext &context;
  DiagnosticSink &sink;
  mlir::OpBuilder builder;
  Emitter emit;
  OpTable table;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Operation *function = nullptr;
  std::vector<Argument> arguments;
  std::vector<std::pair<std::string, TensorData>> constants;
  llvm::StringMap<ImportedValue> values;
  /// Results of nodes that failed: their users are not reported again.
  llvm::StringMap<bool> poisoned;
};

/// Checks a row's rules against the inputs of the node.
LogicalResult checkRules(NodeContext &node, const OpRow &row);

} // namespace lh

#endif // LH_INGRESS_GRAPHIMPORTER_H
