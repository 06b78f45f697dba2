// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays by position in a folder, for programs that are no part of lh-run.
#include "runtime/external/ArrayFiles.h"

#include "core/numerics/TensorFile.h"

#include "llvm/Support/FileSystem.h"

using namespace lh;

std::string lh::fileAt(StringRef folder, size_t index) {
  return (folder + "/" + Twine(index) + ".npy").str();
}

static std::string described(DType dtype, const std::string &shape) {
  return (dtypeName(dtype) + (shape.empty() ? "" : " ") + shape).str();
}

static bool fits(const Tensor &tensor, const TensorSignature &result) {
  bool fits = tensor.dtype() == result.dtype &&
              tensor.shape().size() == result.shape.size();
  for (size_t i = 0; fits && i < result.shape.size(); ++i)
    fits = result.shape[i] < 0 || result.shape[i] == tensor.shape()[i];
  return fits;
}

/// One cause, however the file is wrong.
static FailureOr<Tensor> readResult(const TensorSignature &result, size_t index,
                                    StringRef folder,
                                    const ResultWriter &writer,
                                    DiagnosticSink &sink) {
  std::string file = fileAt(folder, index), name = fileAt("{outputs}", index);
  if (!llvm::sys::fs::is_regular_file(file))
    return sink.error(DiagKind::BackendProgramFailed, writer.where,
                      writer.who + " ended well, but wrote no '" + name +
                          "', which is to hold output '" + result.name + "'");
  CollectingSink trouble;
  FailureOr<Tensor> tensor = readTensorFile(file, trouble);
  if (failed(tensor))
    return sink.error(
        DiagKind::BackendBadOutput, writer.where,
        "output '" + result.name + "': '" + name + "' of " + writer.who +
            " can't be read: " + trouble.diagnostics().front().message);
  if (fits(*tensor, result))
    return tensor;
  return sink.error(DiagKind::BackendBadOutput, writer.where,
                    "output '" + result.name + "': '" + name + "' of " +
                        writer.who + " holds " +
                        described(tensor->dtype(), shapeText(tensor->shape())) +
                        ", the entry's signature says " +
                        described(result.dtype, result.shapeText()));
}

FailureOr<std::vector<Tensor>> lh::readResults(const EntryAbi &abi,
                                               StringRef folder,
                                               const ResultWriter &writer,
                                               DiagnosticSink &sink) {
  std::vector<Tensor> results;
  for (size_t i = 0; i < abi.results.size(); ++i) {
    FailureOr<Tensor> result =
        readResult(abi.results[i], i, folder, writer, sink);
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
  }
  return results;
}

std::vector<NamedTensor> lh::namedResults(const EntryAbi &abi,
                                          std::vector<Tensor> results) {
  std::vector<NamedTensor> named;
  for (size_t i = 0; i < results.size(); ++i)
    named.push_back({abi.results[i].name, std::move(results[i])});
  return named;
}
