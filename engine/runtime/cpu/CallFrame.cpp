// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds memref descriptors and reads back those that code returns.
#include "runtime/cpu/CallFrame.h"

#include "runtime/abi/ResultChecks.h"
#include "runtime/cpu/Arena.h"
#include "runtime/cpu/GuardedCall.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>

using namespace lh;

static std::vector<int64_t> describe(const std::byte *bytes,
                                     ArrayRef<int64_t> shape) {
  auto address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(bytes));
  std::vector<int64_t> descriptor{address, address, 0};
  descriptor.insert(descriptor.end(), shape.begin(), shape.end());
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  descriptor.insert(descriptor.end(), strides.begin(), strides.end());
  return descriptor;
}

CallFrame::CallFrame(const EntryAbi &abi, ArrayRef<const std::byte *> buffers,
                     ArrayRef<ArrayRef<int64_t>> shapes, MemorySource &memory)
    : abi(abi) {
  for (size_t i = 0; i < buffers.size(); ++i)
    descriptors.push_back(describe(buffers[i], shapes[i]));
  size_t words = 0;
  for (const TensorSignature &result : abi.results) {
    words += 3 + 2 * result.shape.size();
    if (abi.convention == EntryConvention::Returned)
      continue;
    size_t size = Tensor(result.dtype, result.shape).sizeInBytes();
    descriptors.push_back(
        describe(outParams.emplace_back(size, memory).data(), result.shape));
  }
  if (abi.convention == EntryConvention::Returned && words > 0) {
    returned.resize(words);
    arguments.push_back(returned.data());
  }
  for (Descriptor &descriptor : descriptors)
    arguments.push_back(descriptor.data());
}

bool CallFrame::isUsable() const {
  return llvm::all_of(
      outParams, [](const FencedBuffer &buffer) { return buffer.isUsable(); });
}

void CallFrame::poisonResults(Poison poison) {
  for (FencedBuffer &buffer : outParams) {
    fillWithPoison(buffer.data(), buffer.size(), poison);
    buffer.raise(poison);
  }
}

std::vector<const std::byte *> CallFrame::outBytes() const {
  std::vector<const std::byte *> bytes;
  for (const FencedBuffer &buffer : outParams)
    bytes.push_back(buffer.data());
  return bytes;
}

FailureOr<double> CallFrame::call(PackedFunction function,
                                  const SourceSpan &where, DiagnosticSink &sink,
                                  Poison poison) {
  poisonResults(poison);
  auto start = std::chrono::steady_clock::now();
  std::optional<std::string> complaint =
      callGuarded([&] { function(arguments.data()); });
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  if (complaint)
    return sink.error(DiagKind::BackendBadOutput, where,
                      "'" + abi.name + "' gave up: " + *complaint);
  if (failed(checkFences(where, sink)))
    return failure();
  return seconds.count();
}

LogicalResult CallFrame::checkFences(const SourceSpan &where,
                                     DiagnosticSink &sink) const {
  return checkOutputFences(abi, outBytes(), where, sink);
}

LogicalResult CallFrame::callOften(PackedFunction function, uint64_t count,
                                   Arena &arena, const SourceSpan &where,
                                   DiagnosticSink &sink) {
  std::optional<std::string> complaint = callGuarded([&] {
    for (uint64_t i = 0; i < count; ++i) {
      function(arguments.data());
      if (arena.liveBlocks() > 0)
        arena.reclaim();
    }
  });
  if (!complaint)
    return success();
  arena.reclaim();
  return sink.error(DiagKind::BackendBadOutput, where,
                    "'" + abi.name + "' gave up: " + *complaint);
}

FailureOr<Tensor> CallFrame::copyReturned(const TensorSignature &result,
                                          const int64_t *descriptor,
                                          const SourceSpan &where,
                                          DiagnosticSink &sink) const {
  ArrayRef<int64_t> shape(descriptor + 3, result.shape.size());
  if (failed(checkReturnedShape(result, shape, where, sink)))
    return failure();
  Tensor tensor(result.dtype, shape.vec());
  auto *bytes = reinterpret_cast<const std::byte *>(descriptor[1]) +
                descriptor[2] * static_cast<int64_t>(byteSize(result.dtype));
  if (tensor.sizeInBytes() > 0)
    std::memcpy(tensor.data(), bytes, tensor.sizeInBytes());
  return tensor;
}

FailureOr<std::vector<Tensor>> CallFrame::takeResults(Arena &arena,
                                                      const SourceSpan &where,
                                                      DiagnosticSink &sink) {
  return copyResults(arena, /*frees=*/false, where, sink);
}

FailureOr<std::vector<Tensor>>
CallFrame::takeLastResults(Arena &arena, const SourceSpan &where,
                           DiagnosticSink &sink) {
  return copyResults(arena, /*frees=*/true, where, sink);
}

FailureOr<std::vector<Tensor>> CallFrame::copyResults(Arena &arena, bool frees,
                                                      const SourceSpan &where,
                                                      DiagnosticSink &sink) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < outParams.size(); ++i) {
    const TensorSignature &result = abi.results[i];
    Tensor &tensor = tensors.emplace_back(result.dtype, result.shape);
    std::memcpy(tensor.data(), outParams[i].data(), outParams[i].size());
    if (frees)
      outParams[i].free();
  }
  if (abi.convention == EntryConvention::OutParams)
    return tensors;
  std::set<void *> blocks; // two results may share one
  bool wrong = false;
  const int64_t *descriptor = returned.data();
  for (const TensorSignature &result : abi.results) {
    FailureOr<Tensor> tensor = copyReturned(result, descriptor, where, sink);
    wrong |= failed(tensor);
    if (succeeded(tensor))
      tensors.push_back(std::move(*tensor));
    blocks.insert(reinterpret_cast<void *>(descriptor[0]));
    descriptor += 3 + 2 * result.shape.size();
  }
  // A result may also be an argument or a constant, which is not the arena's.
  for (void *block : blocks)
    if (arena.owns(block))
      arena.release(block);
  if (wrong)
    return failure();
  return tensors;
}
