// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the memory that compiled code works on comes from.
#ifndef LH_RUNTIME_ABI_MEMORYSOURCE_H
#define LH_RUNTIME_ABI_MEMORYSOURCE_H

#include <cstddef>

namespace lh {

/// Blocks that the host and, if there is one, a device can read and write.
class MemorySource {
public:
  virtual ~MemorySource() = default;

  /// Aligned to `alignment`, a power of two; null when there is no room.
  virtual void *take(size_t bytes, size_t alignment) = 0;
  virtual void giveBack(void *block) = 0;
  /// Returns when nobody but the caller reads or writes a block: before the
  /// host touches what a device may still be working on.
  virtual void settle() {}
  /// Of the block that `part` is in, compiled code may use these bytes alone
  /// from now on. A source that can tell has the others refused.
  virtual void confine(void * /*part*/, size_t /*bytes*/) {}
};

/// The system's memory.
MemorySource &systemMemory();

} // namespace lh

#endif // LH_RUNTIME_ABI_MEMORYSOURCE_H
