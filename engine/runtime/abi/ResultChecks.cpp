// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes, booleans, fences and inputs after a call.
#include "runtime/abi/ResultChecks.h"

#include "runtime/abi/Fence.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>

using namespace lh;

LogicalResult lh::checkReturnedShape(const TensorSignature &result,
                                     ArrayRef<int64_t> shape,
                                     const SourceSpan &where,
                                     DiagnosticSink &sink) {
  bool fits = true;
  for (size_t i = 0; i < shape.size(); ++i)
    fits &=
        shape[i] >= 0 && (result.shape[i] < 0 || result.shape[i] == shape[i]);
  if (fits)
    return success();
  return sink.error(DiagKind::BackendBadOutput, where,
                    "output '" + result.name + "': the code returned shape " +
                        shapeText(shape) + ", its signature says " +
                        result.shapeText());
}

/// A byte other than 0 and 1 is as true as 1 to who compares with 0, and not to
/// who looks at its lowest bit, or adds up.
LogicalResult lh::checkBooleans(const EntryAbi &abi, ArrayRef<Tensor> results,
                                const SourceSpan &where, DiagnosticSink &sink) {
  for (auto [signature, tensor] : llvm::zip(abi.results, results)) {
    if (tensor.dtype() != DType::Bool)
      continue;
    const std::byte *end = tensor.data() + tensor.sizeInBytes();
    const std::byte *odd = std::find_if(
        tensor.data(), end, [](std::byte byte) { return byte > std::byte{1}; });
    if (odd != end)
      return sink.error(
          DiagKind::BackendBadOutput, where,
          "output '" + signature.name + "' is boolean, but byte " +
              Twine(odd - tensor.data()) + " is " +
              Twine(std::to_integer<int>(*odd)) + "; a boolean is 0 or 1");
  }
  return success();
}

LogicalResult lh::checkOutputFences(const EntryAbi &abi,
                                    ArrayRef<const std::byte *> bytes,
                                    const SourceSpan &where,
                                    DiagnosticSink &sink) {
  LogicalResult result = success();
  for (size_t i = 0; i < bytes.size(); ++i) {
    const TensorSignature &signature = abi.results[i];
    size_t size = Tensor(signature.dtype, signature.shape).sizeInBytes();
    if (!fencesStand(bytes[i], size))
      result =
          sink.error(DiagKind::BackendOutOfBounds, where,
                     "'" + abi.name + "' writes outside its output '" +
                         signature.name + "' of " + Twine(size) + " bytes");
  }
  return result;
}

LogicalResult lh::checkInputsUntouched(const EntryAbi &abi,
                                       ArrayRef<const NamedTensor *> given,
                                       ArrayRef<const std::byte *> used,
                                       const SourceSpan &where,
                                       DiagnosticSink &sink) {
  LogicalResult result = success();
  std::vector<TensorSignature> signatures = abi.inputs();
  for (size_t i = 0; i < given.size(); ++i) {
    const Tensor &tensor = given[i]->tensor;
    size_t size = tensor.sizeInBytes();
    std::string name = "its input '" + signatures[i].name + "'";
    if (!fencesStand(used[i], size))
      result = sink.error(DiagKind::BackendOutOfBounds, where,
                          "'" + abi.name + "' writes outside " + name + " of " +
                              Twine(size) + " bytes");
    if (size > 0 && std::memcmp(tensor.data(), used[i], size) != 0)
      result = sink.error(DiagKind::BackendInputWritten, where,
                          "'" + abi.name + "' writes to " + name +
                              "; run 'lh-entry-abi{tensors=true}' before "
                              "bufferization");
  }
  return result;
}

LogicalResult lh::reportDamage(const EntryAbi &abi, size_t size,
                               const SourceSpan &where, DiagnosticSink &sink) {
  return sink.error(DiagKind::BackendOutOfBounds, where,
                    "'" + abi.name + "' writes outside a buffer of " +
                        Twine(size) + " bytes that it allocated");
}

void lh::warnOfLeak(const EntryAbi &abi, size_t blocks, size_t bytes,
                    const SourceSpan &where, DiagnosticSink &sink) {
  sink.warning(DiagKind::BackendLeak, where,
               "'" + abi.name + "' leaves " + Twine(blocks) +
                   (blocks == 1 ? " buffer of " : " buffers of ") +
                   Twine(bytes) +
                   " bytes allocated after each run; add "
                   "'buffer-deallocation-pipeline' after bufferization");
}

LogicalResult lh::reportDifference(const EntryAbi &abi, const SourceSpan &where,
                                   DiagnosticSink &sink) {
  return sink.error(DiagKind::BackendBadOutput, where,
                    "'" + abi.name +
                        "' gives other results when it is called again; it "
                        "reads memory that it hasn't written, or keeps "
                        "something between calls");
}

bool lh::haveSameBits(const Tensor &a, const Tensor &b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), a.sizeInBytes()) == 0;
}

LogicalResult lh::checkSameBits(const EntryAbi &abi, ArrayRef<Tensor> first,
                                ArrayRef<Tensor> now, const SourceSpan &where,
                                DiagnosticSink &sink) {
  if (std::equal(first.begin(), first.end(), now.begin(), now.end(),
                 haveSameBits))
    return success();
  return reportDifference(abi, where, sink);
}

LogicalResult lh::checkSameBits(const EntryAbi &abi,
                                ArrayRef<NamedTensor> first,
                                ArrayRef<Tensor> now, const SourceSpan &where,
                                DiagnosticSink &sink) {
  auto isSame = [](const NamedTensor &a, const Tensor &b) {
    return haveSameBits(a.tensor, b);
  };
  if (std::equal(first.begin(), first.end(), now.begin(), now.end(), isSame))
    return success();
  return reportDifference(abi, where, sink);
}
