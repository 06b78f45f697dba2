// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file as a whole: mapping it, what must hold of any model, names of types.
#include "compiler/ingress/onnx/OnnxModel.h"

#include "compiler/ingress/onnx/OnnxParser.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

using namespace lh;

OnnxModel::OnnxModel() = default;
OnnxModel::~OnnxModel() = default;
OnnxModel::OnnxModel(OnnxModel &&) noexcept = default;
OnnxModel &OnnxModel::operator=(OnnxModel &&) noexcept = default;

std::string OnnxNode::displayName() const {
  if (!name.empty())
    return std::string(name);
  return std::string(opType) + "_" + std::to_string(index);
}

const OnnxAttribute *OnnxNode::find(StringRef wanted) const {
  for (const OnnxAttribute &attribute : attributes)
    if (StringRef(attribute.name) == wanted)
      return &attribute;
  return nullptr;
}

static StringRef withoutDefault(StringRef domain) {
  return domain == "ai.onnx" ? "" : domain;
}

std::string OnnxNode::fullName() const {
  StringRef prefix = withoutDefault(StringRef(domain));
  return (prefix + (prefix.empty() ? "" : ".") + StringRef(opType)).str();
}

int64_t lh::versionOf(StringRef domain, const std::vector<OnnxOpset> &opsets) {
  for (const OnnxOpset &opset : opsets)
    if (withoutDefault(StringRef(opset.domain)) == withoutDefault(domain))
      return opset.version;
  return 0;
}

const OnnxFunction *OnnxModel::calledBy(const OnnxNode &node) const {
  for (const OnnxFunction &function : functions)
    if (function.name == node.opType && function.overload == node.overload &&
        withoutDefault(StringRef(function.domain)) ==
            withoutDefault(StringRef(node.domain)))
      return &function;
  return nullptr;
}

std::optional<DType> lh::dtypeOfOnnx(int64_t dataType) {
  switch (dataType) {
  case 1:
    return DType::Float32;
  case 2:
    return DType::UInt8;
  case 3:
    return DType::Int8;
  case 4:
    return DType::UInt16;
  case 5:
    return DType::Int16;
  case 6:
    return DType::Int32;
  case 7:
    return DType::Int64;
  case 9:
    return DType::Bool;
  case 10:
    return DType::Float16;
  case 11:
    return DType::Float64;
  case 12:
    return DType::UInt32;
  case 13:
    return DType::UInt64;
  case 16:
    return DType::BFloat16;
  case 17:
    return DType::Float8E4M3FN;
  case 18:
    return DType::Float8E4M3FNUZ;
  case 19:
    return DType::Float8E5M2;
  case 20:
    return DType::Float8E5M2FNUZ;
  case 21:
    return DType::UInt4;
  case 22:
    return DType::Int4;
  case 23:
    return DType::Float4E2M1;
  case 24:
    return DType::Float8E8M0;
  case 25:
    return DType::UInt2;
  case 26:
    return DType::Int2;
  default:
    return std::nullopt;
  }
}

std::string lh::onnxTypeName(int64_t dataType) {
  if (std::optional<DType> dtype = dtypeOfOnnx(dataType))
    return dtypeName(*dtype).str();
  switch (dataType) {
  case 8:
    return "string";
  case 14:
    return "complex64";
  case 15:
    return "complex128";
  default:
    return "type " + std::to_string(dataType);
  }
}

int64_t lh::onnxTypeOf(DType dtype) {
  constexpr int64_t beyondAll = 64;
  for (int64_t number = 1; number < beyondAll; ++number)
    if (dtypeOfOnnx(number) == dtype)
      return number;
  return 0;
}

/// Files up to IR 3 list every initialiser as an input too.
static void subtractInitializers(OnnxGraph &graph) {
  llvm::StringSet<> names;
  for (const OnnxTensor &tensor : graph.initializers)
    names.insert(StringRef(tensor.name));
  std::erase_if(graph.inputs, [&](const OnnxValueInfo &input) {
    return names.contains(StringRef(input.name));
  });
}

static LogicalResult checkVersions(const OnnxModel &model,
                                   DiagnosticSink &sink) {
  SourceSpan where{model.path};
  if (model.irVersion < 3)
    return sink.error(DiagKind::IngressUnsupportedVersion, where,
                      "the model has IR version " + Twine(model.irVersion) +
                          "; versions from 3 on can be read");
  if (model.opset < 0)
    return sink.error(DiagKind::IngressMalformedModel, where,
                      "the model imports opset " + Twine(model.opset));
  return success();
}

FailureOr<OnnxModel> lh::readOnnxModel(const std::string &path,
                                       DiagnosticSink &sink) {
  llvm::SmallString<256> absolute(path);
  llvm::sys::fs::make_absolute(absolute);
  std::string name = absolute.str().str();
  SourceSpan where{name};
  if (llvm::sys::fs::is_directory(absolute))
    return sink.error(DiagKind::IngressUnreadableModel, where,
                      "cannot read the model: it is a directory");
  auto buffer = llvm::MemoryBuffer::getFile(absolute, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return sink.error(DiagKind::IngressUnreadableModel, where,
                      "cannot read the model: " + buffer.getError().message());
  return readOnnxModel(std::move(*buffer), name, sink);
}

FailureOr<OnnxModel> lh::readOnnxModel(std::unique_ptr<llvm::MemoryBuffer> file,
                                       const std::string &path,
                                       DiagnosticSink &sink) {
  OnnxModel model;
  model.path = path;
  model.file = std::move(file);
  SourceSpan where{path};
  StringRef bytes = model.file->getBuffer();
  if (!parseOnnxModel({bytes.data(), bytes.size()}, model))
    return sink.error(DiagKind::IngressMalformedModel, where,
                      "the file is not an ONNX model, or it is truncated");
  if (failed(checkVersions(model, sink)))
    return failure();
  subtractInitializers(model.graph);
  return model;
}
