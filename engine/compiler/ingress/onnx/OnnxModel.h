// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An ONNX model as plain structs that point into the file's bytes.
#ifndef LH_COMPILER_INGRESS_ONNX_ONNXMODEL_H
#define LH_COMPILER_INGRESS_ONNX_ONNXMODEL_H

#include "core/numerics/Tensor.h"
#include "core/support/Diagnostic.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace llvm {
class MemoryBuffer;
}

namespace lh {

/// A TensorProto. The elements lie in `raw` (little-endian, row-major; a view
/// into the file or into `owned`), or in another file when `isExternal`.
struct OnnxTensor {
  std::string_view name;
  int64_t dataType = 0;
  std::vector<int64_t> dims;
  std::string_view raw;
  std::shared_ptr<std::string> owned; ///< decoded from the typed fields
  bool isExternal = false;
  std::string_view location;
  int64_t externalOffset = 0;
  std::optional<int64_t> externalLength;

  /// `raw` is a view into the model file itself.
  bool liesInFile() const { return !isExternal && !owned; }
};

struct OnnxGraph;

/// Copies share their tensor and graph, which keep their identity.
struct OnnxAttribute {
  std::string_view name;
  int64_t type = 0; ///< AttributeProto.AttributeType; 0 in very old files
  float f = 0;
  int64_t i = 0;
  std::string_view s;
  std::shared_ptr<OnnxTensor> tensor;
  std::shared_ptr<OnnxGraph> graph;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
  /// In a function's body: the attribute of the call that takes its place.
  std::string_view reference;
};

struct OnnxNode {
  std::string_view name, opType, domain, overload;
  std::vector<std::string_view> inputs, outputs;
  std::vector<OnnxAttribute> attributes;
  size_t index = 0; ///< position in the graph

  /// The node's own name, or "Conv_3" (operator and position).
  std::string displayName() const;
  const OnnxAttribute *find(StringRef name) const;
  /// "MatMul", "com.microsoft.Gelu": without the default domain.
  std::string fullName() const;
};

/// Which version of a domain's operators is meant.
struct OnnxOpset {
  std::string_view domain; ///< empty: the default domain
  int64_t version = 0;
};

/// One dimension of a declared type: a size, a symbol, or unknown (both
/// empty).
struct OnnxDim {
  std::optional<int64_t> size;
  std::string_view symbol;
};

struct OnnxValueInfo {
  enum class Kind { None, Tensor, Sequence, Map, Optional, SparseTensor };
  std::string_view name;
  Kind kind = Kind::None;
  /// What a sequence or an optional has: tensors, or an optional a sequence of
  /// them. None for all deeper types.
  Kind element = Kind::None;
  int64_t elementType = 0;                   ///< of the tensors
  std::optional<std::vector<OnnxDim>> shape; ///< of the tensors

  /// A sequence of tensors, an optional tensor or an optional sequence.
  bool isList() const { return element != Kind::None; }
  bool isOptionalTensor() const {
    return kind == Kind::Optional && element == Kind::Tensor;
  }
};

struct OnnxGraph {
  std::string_view bytes; ///< the message; empty for the model's own graph
  std::string_view name;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> initializers;
  std::vector<std::string_view> sparseInitializers;
  /// Without the initialisers that files up to IR 3 list as inputs too.
  std::vector<OnnxValueInfo> inputs;
  std::vector<OnnxValueInfo> outputs;
};

/// A FunctionProto: nodes that a node of this name stands for.
struct OnnxFunction {
  std::string_view name, domain, overload;
  std::vector<std::string_view> inputs, outputs;
  std::vector<OnnxAttribute> defaults;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxOpset> opsets;
};

struct OnnxModel {
  OnnxModel();
  ~OnnxModel();
  OnnxModel(OnnxModel &&) noexcept;
  OnnxModel &operator=(OnnxModel &&) noexcept;

  std::string path; ///< absolute
  std::unique_ptr<llvm::MemoryBuffer> file;
  int64_t irVersion = 0;
  int64_t opset = 0; ///< of the default domain; 0: not imported
  std::vector<OnnxOpset> opsets;
  std::vector<OnnxFunction> functions;
  OnnxGraph graph;

  /// The function of the model that `node` calls, if it calls one.
  const OnnxFunction *calledBy(const OnnxNode &node) const;
};

/// The version of `domain` ("" is the default one); 0 when it isn't listed.
int64_t versionOf(StringRef domain, const std::vector<OnnxOpset> &opsets);

/// Maps the file and reads its structure; weights are not touched. Every
/// string_view of the result points into `file` or into static storage.
FailureOr<OnnxModel> readOnnxModel(const std::string &path,
                                   DiagnosticSink &sink);

/// The same of a file in memory; `path` is what diagnostics and weights name.
FailureOr<OnnxModel> readOnnxModel(std::unique_ptr<llvm::MemoryBuffer> file,
                                   const std::string &path,
                                   DiagnosticSink &sink);

/// TensorProto.DataType as the engine's type; empty for the types the engine
/// refuses (strings, complex).
std::optional<DType> dtypeOfOnnx(int64_t dataType);
/// The other way round.
int64_t onnxTypeOf(DType dtype);

/// "string", "complex64", "float32" ...; "type 77" for unknown numbers.
std::string onnxTypeName(int64_t dataType);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_ONNXMODEL_H
