// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks between a TensorProto and its bytes.
#include "compiler/ingress/onnx/TensorData.h"

#include "compiler/ingress/emit/Scalars.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace lh;

static std::string describe(StringRef name) {
  return "tensor '" + name.str() + "'";
}

/// The number of elements, or failure: negative or overflowing dimensions.
static FailureOr<int64_t> elementCount(const OnnxModel &model,
                                       const OnnxTensor &tensor, DType dtype,
                                       StringRef name, DiagnosticSink &sink) {
  auto size = static_cast<int64_t>(byteSize(dtype));
  int64_t total = size;
  for (int64_t dim : tensor.dims) {
    if (dim < 0)
      return sink.error(DiagKind::IngressMalformedModel, {model.path},
                        describe(name) + " has the negative dimension " +
                            Twine(dim));
    if (llvm::MulOverflow(total, dim, total))
      return sink.error(DiagKind::IngressMalformedModel, {model.path},
                        describe(name) + " is too large for this machine");
  }
  return total / size;
}

/// The absolute path of an external file, which must stay below the model's
/// folder (also after symbolic links are followed).
static FailureOr<std::string> externalPath(const OnnxModel &model,
                                           const OnnxTensor &tensor,
                                           StringRef name,
                                           DiagnosticSink &sink) {
  namespace path = llvm::sys::path;
  StringRef location(tensor.location);
  bool climbs = false;
  for (auto part = path::begin(location); part != path::end(location); ++part)
    climbs |= *part == "..";
  if (location.empty() || climbs || path::is_absolute(location) ||
      location.contains('\0'))
    return sink.error(DiagKind::IngressExternalData, {model.path},
                      describe(name) + " lies in '" + location +
                          "'; external data must stay in the model's folder");
  llvm::SmallString<256> file(path::parent_path(model.path));
  llvm::SmallString<256> folder, real;
  (void)llvm::sys::fs::real_path(file, folder);
  path::append(file, location);
  if (std::error_code code = llvm::sys::fs::real_path(file, real))
    return sink.error(DiagKind::IngressExternalData, {model.path},
                      "cannot read '" + Twine(file.str()) + "' of " +
                          describe(name) + ": " + code.message());
  if (!real.str().starts_with((folder + "/").str()))
    return sink.error(DiagKind::IngressExternalData, {model.path},
                      describe(name) + " lies in '" + location +
                          "', which leads out of the model's folder");
  return real.str().str();
}

static FailureOr<TensorData> locateExternal(const OnnxModel &model,
                                            const OnnxTensor &tensor,
                                            TensorData data, StringRef name,
                                            DiagnosticSink &sink) {
  FailureOr<std::string> file = externalPath(model, tensor, name, sink);
  if (failed(file))
    return failure();
  uint64_t size = 0;
  if (std::error_code code = llvm::sys::fs::file_size(*file, size))
    return sink.error(DiagKind::IngressExternalData, {model.path},
                      "cannot read '" + *file + "': " + code.message());
  int64_t length = tensor.externalLength.value_or(data.bytes);
  if (length != data.bytes)
    return sink.error(DiagKind::IngressExternalData, {model.path},
                      describe(name) + " takes " + Twine(data.bytes) +
                          " bytes, but its external data has length " +
                          Twine(length));
  auto available = static_cast<int64_t>(size);
  if (tensor.externalOffset < 0 || tensor.externalOffset > available ||
      data.bytes > available - tensor.externalOffset)
    return sink.error(DiagKind::IngressExternalData, {model.path},
                      describe(name) + " ends beyond the end of '" + *file +
                          "'");
  data.file = *file;
  data.offset = tensor.externalOffset;
  return data;
}

FailureOr<TensorData> lh::locateTensor(const OnnxModel &model,
                                       const OnnxTensor &tensor, StringRef name,
                                       DiagnosticSink &sink) {
  std::optional<DType> dtype = dtypeOfOnnx(tensor.dataType);
  if (!dtype)
    return sink.error(DiagKind::IngressUnsupportedType, {model.path},
                      describe(name) + " has element type '" +
                          onnxTypeName(tensor.dataType) +
                          "', which is not supported");
  FailureOr<int64_t> count = elementCount(model, tensor, *dtype, name, sink);
  if (failed(count))
    return failure();
  TensorData data;
  data.dtype = *dtype;
  data.shape = tensor.dims;
  data.count = *count;
  data.bytes =
      static_cast<int64_t>(storedBytes(*dtype, static_cast<size_t>(*count)));
  if (tensor.isExternal)
    return locateExternal(model, tensor, data, name, sink);
  if (static_cast<int64_t>(tensor.raw.size()) != data.bytes)
    return sink.error(DiagKind::IngressMalformedModel, {model.path},
                      describe(name) + " takes " + Twine(data.bytes) +
                          " bytes, but the file holds " +
                          Twine(tensor.raw.size()));
  data.data = tensor.raw.data();
  if (tensor.liesInFile()) {
    data.file = model.path;
    data.offset =
        data.bytes ? tensor.raw.data() - model.file->getBufferStart() : 0;
  }
  return data;
}

FailureOr<mlir::DenseElementsAttr> lh::constantOf(const OnnxModel &model,
                                                  const TensorData &data,
                                                  mlir::MLIRContext *context,
                                                  DiagnosticSink &sink) {
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  const char *bytes = data.data;
  if (!bytes && data.bytes > 0) {
    auto read = llvm::MemoryBuffer::getFileSlice(
        data.file, static_cast<uint64_t>(data.bytes), data.offset);
    if (!read)
      return sink.error(DiagKind::IngressExternalData, {model.path},
                        "cannot read '" + data.file +
                            "': " + read.getError().message());
    buffer = std::move(*read);
    bytes = buffer->getBufferStart();
  }
  auto type = mlir::RankedTensorType::get(data.shape,
                                          elementTypeOf(data.dtype, context));
  if (data.bytes == 0)
    return mlir::DenseElementsAttr::get(type, ArrayRef<mlir::Attribute>());
  if (isPacked(data.dtype)) {
    std::vector<uint8_t> elements(static_cast<size_t>(data.count));
    unpackElements(data.dtype, reinterpret_cast<const uint8_t *>(bytes),
                   elements);
    return mlir::DenseElementsAttr::get(type, ArrayRef<uint8_t>(elements));
  }
  ArrayRef<char> raw(bytes, static_cast<size_t>(data.bytes));
  // A single element's bytes would be taken for a splat of booleans by the
  // raw-buffer check only for i1, which the importer never makes.
  return mlir::DenseElementsAttr::getFromRawBuffer(type, raw);
}
