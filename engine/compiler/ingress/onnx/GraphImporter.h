// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns the nodes of a model into the body of @main.
#ifndef LH_COMPILER_INGRESS_ONNX_GRAPHIMPORTER_H
#define LH_COMPILER_INGRESS_ONNX_GRAPHIMPORTER_H

#include "compiler/ingress/onnx/OnnxImporter.h"
#include "compiler/ingress/onnx/OpTable.h"
#include "compiler/ingress/onnx/Scope.h"
#include "compiler/ingress/onnx/TensorData.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <deque>

namespace lh {

/// No dimension known at import is larger; what converters compute from sizes
/// doesn't overflow.
inline constexpr int64_t maxTensorSize = int64_t(1) << 40;

/// The newest opset whose changes the converters follow.
inline constexpr int64_t newestOpset = 28;

/// Imports one model. Use once.
class GraphImporter : private BodyImporter {
public:
  GraphImporter(const OnnxModel &model, const OnnxImportOptions &options,
                mlir::MLIRContext &context, DiagnosticSink &sink);

  FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> run();

private:
  using Nodes = std::vector<OnnxNode>;

  /// An entry argument before the function exists.
  struct Argument {
    std::string name;
    DType dtype;
    mlir::RankedTensorType type;
    std::optional<TensorData> weight;
    std::vector<std::string> symbols; ///< of its dimensions; may be empty
    std::vector<int64_t> values = {}; ///< that the case gives
  };
  /// A model's input that is a list: the next `count` arguments.
  struct InputList {
    size_t count = 0;
    bool hasValue = false;
  };
  /// A checked tensor of the model: an argument or a constant.
  struct KeptTensor {
    TensorData data;
    std::optional<unsigned> argument;
  };
  enum class Visit { Active, Done };

  // GraphInputs.cpp: what is decided before anything is built.
  LogicalResult checkOperators();
  /// The version of the node's domain; functions may leave it to the model.
  int64_t opsetOf(const OnnxNode &node,
                  const std::vector<OnnxOpset> &opsets) const;
  void checkNodes(const Nodes &nodes, const std::vector<OnnxOpset> &opsets);
  void checkCall(const OnnxNode &node, const OnnxFunction &function);
  LogicalResult collectInputs();
  LogicalResult collectTensorInput(const OnnxValueInfo &input, size_t position);
  std::optional<DType> inputType(const OnnxValueInfo &input);
  FailureOr<std::vector<int64_t>> inputShape(const OnnxValueInfo &input,
                                             size_t position,
                                             std::vector<std::string> &symbols);
  void checkSymbols(const Argument &argument, ArrayRef<int64_t> shape);
  LogicalResult collectTensors();
  void collectFrom(const OnnxGraph &graph);
  void collectFrom(const Nodes &nodes);
  void addTensor(const OnnxTensor &tensor, StringRef name);

  // GraphLists.cpp: sequences and optionals at the model's border.
  LogicalResult collectList(const OnnxValueInfo &input, size_t position);
  std::optional<BoundList> boundList(const OnnxValueInfo &input,
                                     size_t position) const;
  ImportedValue listOf(const OnnxValueInfo &input, const InputList &list,
                       std::vector<ImportedValue> elements);
  /// The tensors that leave the model for one of its outputs.
  using Leaves = std::vector<std::pair<OnnxValueInfo, ImportedValue>>;
  FailureOr<Leaves> leavesOf(const OnnxValueInfo &output,
                             const ImportedValue &value);

  // GraphNodes.cpp: the walk over nodes.
  LogicalResult importInitializers(const OnnxGraph &graph, Scope &scope);
  FailureOr<ImportedValue> importTensor(const OnnxTensor &tensor,
                                        StringRef name);
  LogicalResult importNodes(const Nodes &nodes, Scope &scope);
  LogicalResult importNode(const OnnxNode &node, Scope &scope);
  LogicalResult importCall(const OnnxNode &node, const OnnxFunction &function,
                           Scope &scope);
  LogicalResult bindInputs(const OnnxNode &node, const OnnxFunction &callee,
                           const std::vector<ImportedValue *> &given,
                           Scope &inner);
  LogicalResult keepOutputs(const OnnxNode &node, const OnnxFunction &callee,
                            Scope &inner, Scope &scope);
  /// An error, once, when functions and subgraphs unfold to too many nodes.
  LogicalResult countUnfolded(size_t nodes);
  LogicalResult importOperator(const OnnxNode &node, Scope &scope);
  FailureOr<std::vector<ImportedValue>>
  importBody(const OnnxGraph &body, ArrayRef<ImportedValue> inputs,
             BodyOutputs outputs) override;
  using Results = std::vector<std::optional<ImportedValue>>;
  FailureOr<Results>
  applyOperator(const OnnxNode &inner, const NodeContext &outer,
                std::vector<ImportedValue *> inputs) override;
  FailureOr<Results> convert(const OnnxNode &node, const OnnxNode &user,
                             int64_t opset,
                             std::vector<ImportedValue *> inputs);
  FailureOr<std::vector<ImportedValue *>>
  inputsOf(const OnnxNode &node, Scope &scope, bool &isPoisoned);
  LogicalResult finishResults(const OnnxNode &node, NodeContext &context,
                              std::optional<DType> half);
  LogicalResult define(Scope &scope, StringRef name,
                       std::optional<ImportedValue> value);
  mlir::Location locationOf(StringRef name);

  // GraphImporter.cpp: @main round them.
  void makeFunction();
  mlir::DictionaryAttr attributesOf(const Argument &argument);
  mlir::DictionaryAttr attributesOf(const OnnxValueInfo &output,
                                    mlir::Value value, DType dtype);
  /// Whether an argument has an open dimension of this name.
  bool isOpen(StringRef symbol) const;
  mlir::ArrayAttr symbolsOf(mlir::RankedTensorType type,
                            ArrayRef<std::string> symbols);
  LogicalResult importInputs(Scope &scope);
  ImportedValue importArgument(size_t position,
                               llvm::StringMap<mlir::Value> &symbolSizes);
  LogicalResult finishOutput(const OnnxValueInfo &output, ImportedValue &value,
                             llvm::SmallVector<mlir::Value> &results,
                             llvm::SmallVector<mlir::DictionaryAttr> &names);
  LogicalResult finish(Scope &scope);
  FailureOr<mlir::Value> declaredOutput(const OnnxValueInfo &output,
                                        ImportedValue &value);
  void markDrawnResults();
  void eraseDeadOperations();

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
  /// By the model's inputs; empty for tensors.
  std::vector<std::optional<InputList>> inputLists;
  std::deque<std::string> leafNames; ///< which values of `Leaves` point into
  /// The size that each symbol is bound to, and by what.
  llvm::StringMap<std::pair<int64_t, std::string>> boundSymbols;
  llvm::DenseMap<const OnnxTensor *, KeptTensor> tensors;
  llvm::StringSet<> weightNames;
  llvm::MapVector<const OnnxFunction *, Visit> functions; ///< those called
  /// Where the node at hand stands; its subgraphs see it.
  Scope *current = nullptr;
  size_t unfoldedNodes = 0;
  unsigned callDepth = 0;
  llvm::DenseSet<const OnnxFunction *> failedFunctions;
};

/// Checks a row's rules against the inputs of the node.
LogicalResult checkRules(NodeContext &node, const OpRow &row);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_GRAPHIMPORTER_H
