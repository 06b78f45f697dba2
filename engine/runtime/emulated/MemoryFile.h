// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory with a file descriptor, which another process can map or read.
#ifndef LH_RUNTIME_EMULATED_MEMORYFILE_H
#define LH_RUNTIME_EMULATED_MEMORYFILE_H

#include "core/support/Diagnostic.h"

#include <cstddef>

namespace lh {

/// A file without a name that goes away with its last descriptor, however the
/// process ends. Children inherit it.
class MemoryFile {
public:
  /// Of `size` bytes of zeros. Check isUsable().
  explicit MemoryFile(size_t size = 0);
  MemoryFile(MemoryFile &&other) noexcept;
  MemoryFile &operator=(MemoryFile &&) = delete;
  ~MemoryFile();

  bool isUsable() const { return file >= 0; }
  int descriptor() const { return file; }
  /// A path that names it in this process and in its children.
  std::string path() const;
  /// Its bytes, which other processes see change; null when it has none.
  std::byte *data() const { return mapped; }
  size_t size() const { return mappedSize; }

  /// Appends; false when there is no memory for it.
  bool write(StringRef bytes);
  /// All that was written to it by now, by whomever.
  std::string read() const;

private:
  int file = -1;
  std::byte *mapped = nullptr;
  size_t mappedSize = 0;
};

} // namespace lh

#endif // LH_RUNTIME_EMULATED_MEMORYFILE_H
