// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places are handed out one after the other; then the memory is made.
#include "runtime/emulated/JobMemory.h"

#include "runtime/abi/Fence.h"
#include "runtime/cpu/PackedEntry.h"

#include <cstring>

using namespace lh;

uint64_t JobMemory::reserve(size_t bytes, size_t alignment) {
  end = (end + alignment - 1) / alignment * alignment;
  uint64_t offset = end;
  end += bytes;
  return offset;
}

uint64_t JobMemory::put(const void *bytes, size_t size) {
  uint64_t offset = reserve(size, 8);
  pieces.push_back(
      {offset, std::string(static_cast<const char *>(bytes), size)});
  return offset;
}

uint64_t JobMemory::put(StringRef text) {
  std::string withEnd = text.str();
  return put(withEnd.c_str(), withEnd.size() + 1);
}

uint64_t JobMemory::reserveFenced(size_t bytes) {
  return reserve(bytes + 2 * fenceBytes, 64) + fenceBytes;
}

LhTensor JobMemory::describe(const TensorSignature &signature,
                             ArrayRef<int64_t> shape) {
  LhTensor tensor{};
  tensor.elementBytes = byteSize(signature.dtype);
  tensor.type = static_cast<uint64_t>(signature.dtype);
  tensor.rank = shape.size();
  tensor.sizes = put(shape.data(), shape.size() * sizeof(int64_t));
  return tensor;
}

LhTensor JobMemory::argument(const EntryArgument &argument) {
  bool isInput = argument.role == ArgumentRole::Input;
  const Tensor *given =
      isInput ? &request.inputs[inputs.size()]->tensor : nullptr;
  LhTensor tensor = describe(argument.tensor,
                             given ? given->shape()
                                   : ArrayRef<int64_t>(argument.tensor.shape));
  if (given) {
    tensor.place = LH_IN_JOB;
    tensor.offset = reserveFenced(given->sizeInBytes());
    inputs.push_back(tensor.offset);
  } else if (argument.role == ArgumentRole::Weight) {
    tensor.place = LH_IN_FILE;
    tensor.path = put(argument.data.file);
    tensor.offset = argument.data.offset;
  } else {
    tensor.place = LH_PREPARED;
    tensor.offset = argument.preparedIndex;
  }
  return tensor;
}

/// What @prepare gives stays with the runner, whichever way it gives it.
uint64_t JobMemory::putCall(const EntryAbi &abi, bool isEntry) {
  std::vector<LhTensor> arguments, results;
  for (const EntryArgument &each : abi.arguments)
    if (request.functions.empty() || each.role == ArgumentRole::Input)
      arguments.push_back(argument(each));
  for (const TensorSignature &result : abi.results) {
    LhTensor &tensor = results.emplace_back(describe(result, result.shape));
    if (abi.convention == EntryConvention::Returned) {
      tensor.place = LH_RETURNED;
      continue;
    }
    tensor.place = LH_IN_JOB;
    tensor.offset =
        reserveFenced(Tensor(result.dtype, result.shape).sizeInBytes());
    if (isEntry)
      outputs.push_back(tensor.offset);
  }
  LhCall call{};
  call.name = put(packedName(abi.name));
  call.argumentCount = arguments.size();
  call.arguments = putAll(arguments);
  call.resultCount = results.size();
  call.results = putAll(results);
  return put(&call, sizeof call);
}

JobMemory::JobMemory(const JobRequest &request) : request(request) {
  LhJob job{};
  job.version = LH_JOB_VERSION;
  job.library = put(request.library);
  bool isBuilt = !request.functions.empty();
  if (isBuilt)
    job.functions = put(request.functions);
  // A built library has its weights, and prepares them itself.
  if (request.abi.prepare && !isBuilt)
    job.prepare = putCall(*request.abi.prepare, false);
  job.entry = putCall(request.abi.entry, true);
  job.repeat = request.repeat;
  job.seconds = reserve(request.repeat * sizeof(double), 8);
  job.results = static_cast<uint64_t>(request.results.descriptor());
  if (request.counts)
    job.counts = static_cast<uint64_t>(request.counts->descriptor());
  job.leastVectorBits = request.vectorBits.least;
  job.mostVectorBits = request.vectorBits.most;
  job.mostBytes = request.mostBytes;
  job.poison = static_cast<uint64_t>(request.poison);
  job.streaming = request.vectorBits.streaming;
  job.bytes = end;
  file = std::make_unique<MemoryFile>(end);
  if (file->isUsable())
    fill(job);
}

void JobMemory::fill(LhJob job) {
  std::byte *memory = file->data();
  std::memcpy(memory, &job, sizeof job);
  for (const Piece &piece : pieces)
    if (!piece.bytes.empty())
      std::memcpy(memory + piece.offset, piece.bytes.data(),
                  piece.bytes.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor &tensor = request.inputs[i]->tensor;
    if (tensor.sizeInBytes() > 0)
      std::memcpy(memory + inputs[i], tensor.data(), tensor.sizeInBytes());
    raiseFences(memory + inputs[i], tensor.sizeInBytes(), request.poison);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorSignature &result = request.abi.entry.results[i];
    size_t size = Tensor(result.dtype, result.shape).sizeInBytes();
    fillWithPoison(memory + outputs[i], size, request.poison);
    raiseFences(memory + outputs[i], size, request.poison);
  }
}

ArrayRef<double> JobMemory::seconds() const {
  return {reinterpret_cast<const double *>(file->data() + job().seconds),
          static_cast<size_t>(job().repeat)};
}

static std::vector<const std::byte *> addresses(const std::byte *memory,
                                                ArrayRef<uint64_t> offsets) {
  std::vector<const std::byte *> bytes;
  for (uint64_t offset : offsets)
    bytes.push_back(memory + offset);
  return bytes;
}

std::vector<const std::byte *> JobMemory::inputBytes() const {
  return addresses(file->data(), inputs);
}

std::vector<const std::byte *> JobMemory::outputBytes() const {
  return addresses(file->data(), outputs);
}
