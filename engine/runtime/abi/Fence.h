// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes round a buffer that nobody may touch: who does is noticed.
#ifndef LH_RUNTIME_ABI_FENCE_H
#define LH_RUNTIME_ABI_FENCE_H

#include "runtime/abi/MemorySource.h"
#include "runtime/abi/Poison.h"

#include <memory>

namespace lh {

/// On each side. As wide as a row of a small tensor, since mistakes of one
/// often are of one row.
inline constexpr size_t fenceBytes = 1024;

/// Poisons `fenceBytes` before `buffer` and after its `size` bytes: who reads
/// there shows it too. No two fences hold the same.
void raiseFences(std::byte *buffer, size_t size, Poison poison);
/// Whether they are as raiseFences left them, with either poison.
bool fencesStand(const std::byte *buffer, size_t size);

/// Memory of its own between two fences, aligned to 64 bytes.
class FencedBuffer {
public:
  /// `source` must outlive it. Where there is no room, isUsable() tells.
  explicit FencedBuffer(size_t size, MemorySource &source = systemMemory());

  bool isUsable() const { return bytes != nullptr; }

  std::byte *data() const { return bytes.get() + fenceBytes; }
  size_t size() const { return count; }

  void raise(Poison poison) { raiseFences(data(), count, poison); }

  /// Afterwards it isn't usable.
  void free() { bytes.reset(); }

private:
  struct Free {
    MemorySource *source;
    void operator()(std::byte *bytes) const { source->giveBack(bytes); }
  };
  std::unique_ptr<std::byte, Free> bytes;
  size_t count = 0;
};

} // namespace lh

#endif // LH_RUNTIME_ABI_FENCE_H
