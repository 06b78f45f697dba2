// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A runner's job as memory: what to call, on what, and room for the outcome.
#ifndef LH_RUNTIME_EMULATED_JOBMEMORY_H
#define LH_RUNTIME_EMULATED_JOBMEMORY_H

#include "runtime/abi/EntryAbi.h"
#include "runtime/abi/Poison.h"
#include "runtime/emulated/Emulation.h"
#include "runtime/emulated/Job.h"
#include "runtime/emulated/MemoryFile.h"

namespace lh {

struct JobRequest {
  const ModuleAbi &abi;
  /// The entry's inputs in its order.
  ArrayRef<const NamedTensor *> inputs;
  std::string library;   ///< the path by which the runner finds it
  std::string functions; ///< of a built library: its name; else empty
  unsigned repeat = 0;
  VectorBits vectorBits;
  const MemoryFile &results; ///< where returned results go
  /// Where instructions are counted (CountedCode.h); null: they aren't.
  const MemoryFile *counts = nullptr;
  uint64_t mostBytes = 0; ///< that the code may allocate; 0: any
  Poison poison = Poison::NotANumber;
};

/// Lays a job out and gives access to it while and after it is done. Inputs and
/// out-parameters stand between fences, out-parameters full of poison.
class JobMemory {
public:
  explicit JobMemory(const JobRequest &request);

  bool isUsable() const { return file->isUsable(); }
  const MemoryFile &memory() const { return *file; }
  const LhJob &job() const {
    return *reinterpret_cast<const LhJob *>(file->data());
  }
  ArrayRef<double> seconds() const;
  /// The bytes of the inputs, and of the out-parameters: none when the entry
  /// returns its results.
  std::vector<const std::byte *> inputBytes() const;
  std::vector<const std::byte *> outputBytes() const;

private:
  /// Bytes that are put to their place once all places are known.
  struct Piece {
    uint64_t offset = 0;
    std::string bytes;
  };
  uint64_t reserve(size_t bytes, size_t alignment);
  uint64_t put(const void *bytes, size_t size);
  uint64_t put(StringRef text);
  template <typename T> uint64_t putAll(const std::vector<T> &items) {
    return put(items.data(), items.size() * sizeof(T));
  }
  uint64_t reserveFenced(size_t bytes);
  LhTensor describe(const TensorSignature &signature, ArrayRef<int64_t> shape);
  LhTensor argument(const EntryArgument &argument);
  uint64_t putCall(const EntryAbi &abi, bool isEntry);
  void fill(LhJob job);

  const JobRequest &request;
  std::vector<Piece> pieces;
  std::vector<uint64_t> inputs, outputs; ///< offsets
  uint64_t end = sizeof(LhJob);
  std::unique_ptr<MemoryFile> file;
};

} // namespace lh

#endif // LH_RUNTIME_EMULATED_JOBMEMORY_H
