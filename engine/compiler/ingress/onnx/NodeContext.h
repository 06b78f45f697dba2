// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a converter sees of its node, and where it puts the results.
#ifndef LH_COMPILER_INGRESS_ONNX_NODECONTEXT_H
#define LH_COMPILER_INGRESS_ONNX_NODECONTEXT_H

#include "compiler/ingress/emit/Emitter.h"
#include "compiler/ingress/onnx/OnnxModel.h"

namespace lh {

/// A value of the graph: a tensor, or small integers whose tensor is only
/// built when somebody asks for it, or both.
struct ImportedValue {
  mlir::Value tensor;
  DType dtype = DType::Float32;
  /// The elements of an integer scalar or vector, as indices.
  std::optional<Sizes> elements = {};
  bool isScalar = false; ///< of `elements`: rank 0
  /// In place of a tensor: a sequence, all of whose elements are known.
  std::shared_ptr<const std::vector<ImportedValue>> sequence = {};
  bool isAbsent = false; ///< in place of a tensor: an optional without one
  /// What the case gives for an input of few integers or bools. Who relies on
  /// it checks it when the code runs.
  std::vector<int64_t> bound = {};

  bool isTensor() const { return !sequence && !isAbsent; }
};

class NodeContext;

/// What may leave a subgraph.
enum class BodyOutputs { Tensors, Lists };

/// Converts what the node at hand consists of.
class BodyImporter {
public:
  virtual ~BodyImporter() = default;
  /// Converts `body` at the insertion point, its inputs bound to `inputs`;
  /// returns its outputs. Inside a region, an Emitter::RegionScope must live.
  virtual FailureOr<std::vector<ImportedValue>>
  importBody(const OnnxGraph &body, ArrayRef<ImportedValue> inputs,
             BodyOutputs outputs = BodyOutputs::Tensors) = 0;
  /// Converts `inner`, of the newest opset, as a part of `outer`, of which
  /// errors speak; returns the outputs that have a name.
  virtual FailureOr<std::vector<std::optional<ImportedValue>>>
  applyOperator(const OnnxNode &inner, const NodeContext &outer,
                std::vector<ImportedValue *> inputs) = 0;
};

/// One node during its conversion. Attribute readers return the default when
/// the attribute is absent.
class NodeContext {
public:
  /// `user` is the model's node: `node`, or what that is a part of.
  NodeContext(const OnnxModel &model, const OnnxNode &node,
              const OnnxNode &user, int64_t opset, Emitter &emit,
              std::vector<ImportedValue *> inputs, BodyImporter &bodies,
              DiagnosticSink &sink);

  StringRef opType() const { return StringRef(node.opType); }
  /// Emits an error at the node and fails.
  LogicalResult error(const Twine &message,
                      DiagKind kind = DiagKind::IngressInvalidNode) const;

  // Inputs. An empty name means an absent optional input.
  size_t inputCount() const { return inputs.size(); }
  size_t outputCount() const { return results.size(); }
  bool has(size_t i) const { return i < inputs.size() && inputs[i]; }
  mlir::Value in(size_t i);
  DType dtype(size_t i = 0) const { return inputs[i]->dtype; }
  int64_t rank(size_t i = 0);
  mlir::Type elementType(size_t i = 0);
  /// Every input's tensor; fails when one is absent.
  FailureOr<llvm::SmallVector<mlir::Value>> allInputs();
  /// The only element of input `i`; fails when it is known to have more or
  /// none.
  FailureOr<mlir::Value> scalar(size_t i);
  /// The elements of an integer input of rank 0 or 1 and known length.
  FailureOr<Sizes> elements(size_t i);
  FailureOr<Sizes> elements(ImportedValue &value, const Twine &what);
  bool hasKnownElements(size_t i) const;
  const ImportedValue &raw(size_t i) const { return *inputs[i]; }
  /// Null when it is absent.
  ImportedValue *input(size_t i) { return has(i) ? inputs[i] : nullptr; }
  /// Integers known at import, e.g. a constant `axes`.
  FailureOr<std::vector<int64_t>> knownIntegers(size_t i, StringRef what);
  /// Numbers known at import, e.g. constant `scales`.
  std::optional<std::vector<double>> knownNumbers(size_t i);

  /// Input `i`, integers or bools: known at import, or by the case, which is
  /// checked when the code runs. For what a list's length depends on.
  FailureOr<std::vector<int64_t>> fixedNumbers(size_t i, StringRef what);
  FailureOr<int64_t> fixedNumber(size_t i, StringRef what);

  // Attributes.
  int64_t integer(StringRef name, int64_t otherwise) const;
  double number(StringRef name, double otherwise) const;
  std::string text(StringRef name, StringRef otherwise) const;
  std::optional<std::vector<int64_t>> integers(StringRef name) const;
  std::optional<std::vector<float>> numbers(StringRef name) const;
  const OnnxAttribute *attribute(StringRef name) const {
    return node.find(name);
  }
  /// An `axis` attribute brought into [0, rank); fails outside [-rank, rank).
  FailureOr<int64_t> axis(int64_t axis, int64_t rank) const;
  /// The same for a list, as a mask; fails on repeated axes.
  FailureOr<llvm::SmallVector<bool>> axisMask(ArrayRef<int64_t> axes,
                                              int64_t rank) const;
  /// The dimensions of input 0 that the attribute `axes` names; without it all.
  FailureOr<std::vector<size_t>> namedDims();

  // Results.
  bool wants(size_t i) const {
    return i < node.outputs.size() && !node.outputs[i].empty();
  }
  void set(size_t i, mlir::Value tensor, DType dtype);
  LogicalResult result(mlir::Value tensor, DType dtype) {
    set(0, tensor, dtype);
    return llvm::success();
  }
  /// Elementwise, like map().
  LogicalResult resultOfMap(ArrayRef<mlir::Value> values, DType dtype,
                            ScalarBody body);
  LogicalResult resultElements(Sizes elements, bool isScalar, DType dtype);
  /// Every element of the result from its indices.
  LogicalResult resultByPlace(Sizes sizes, DType dtype, ScalarBody body) {
    return result(emit.generate(std::move(sizes), typeOf(dtype), body), dtype);
  }

  /// Elementwise with broadcasting, after checking that it is possible.
  FailureOr<mlir::Value> map(ArrayRef<mlir::Value> values, DType resultType,
                             ScalarBody body);
  mlir::Type typeOf(DType dtype) const { return emit.typeOf(dtype); }
  Scalars scalars(DType dtype) const { return emit.scalars(dtype); }

  const OnnxModel &model;
  const OnnxNode &node, &user;
  Emitter &emit;
  const int64_t opset; ///< of the operator's domain
  BodyImporter &bodies;
  DiagnosticSink &sink;
  std::vector<std::optional<ImportedValue>> results;

private:
  std::vector<ImportedValue *> inputs;
};

/// Gives `value` a tensor if it has none yet.
mlir::Value materialize(ImportedValue &value, Emitter &emit);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_NODECONTEXT_H
