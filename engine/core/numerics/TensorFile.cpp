// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens a tensor file and picks its reader.
#include "core/numerics/TensorFile.h"

#include "core/numerics/Npy.h"
#include "core/numerics/TensorList.h"
#include "core/numerics/TensorProto.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace lh;

/// Element `place` of the list in `bytes`, which `path` names.
static FailureOr<Tensor> readElement(StringRef bytes, size_t place,
                                     StringRef path, DiagnosticSink &sink) {
  std::optional<StringRef> element = listElement(bytes, place);
  if (!element)
    return sink.error(DiagKind::NumericsMalformedPb, {path.str()},
                      "the file has no element " + Twine(place));
  FailureOr<NamedTensor> named = readTensorProto(*element, path, sink);
  if (failed(named))
    return failure();
  return std::move(named->tensor);
}

FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
lh::openTensorFile(StringRef path, DiagnosticSink &sink) {
  SourceSpan where{path.str()};
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return sink.error(DiagKind::NumericsFileUnreadable, where,
                      "cannot read '" + path + "': " + error.message());
  // A pipe or a device may never end.
  if (status.type() != llvm::sys::fs::file_type::regular_file)
    return sink.error(DiagKind::NumericsFileUnreadable, where,
                      "cannot read '" + path +
                          "': a tensor file must be a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return sink.error(DiagKind::NumericsFileUnreadable, where,
                      "cannot read '" + path +
                          "': " + buffer.getError().message());
  return std::move(*buffer);
}

FailureOr<Tensor> lh::readTensorFile(StringRef given, DiagnosticSink &sink) {
  auto [path, place] = splitElement(given);
  auto buffer = openTensorFile(path, sink);
  if (failed(buffer))
    return failure();
  if (place)
    return readElement((*buffer)->getBuffer(), *place, path, sink);
  return readTensorBytes((*buffer)->getBuffer(), path, sink);
}

FailureOr<Tensor> lh::readTensorBytes(StringRef bytes, StringRef path,
                                      DiagnosticSink &sink) {
  if (isNpy(bytes))
    return readNpy(bytes, path, sink);
  if (path.ends_with(".pb")) {
    FailureOr<NamedTensor> named = readTensorProto(bytes, path, sink);
    if (failed(named))
      return failure();
    return std::move(named->tensor);
  }
  if (path.ends_with(".npy"))
    return sink.error(DiagKind::NumericsMalformedNpy, {path.str()},
                      "a .npy file must begin with the bytes '\\x93NUMPY'");
  if (path.ends_with(".mtx"))
    return sink.error(DiagKind::NumericsUnknownFormat, {path.str()},
                      "'" + path +
                          "' holds a sparse matrix, which is for an input of a "
                          "sparse type");
  return sink.error(DiagKind::NumericsUnknownFormat, {path.str()},
                    "'" + path +
                        "' is neither a .npy nor an ONNX .pb tensor file");
}
