// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory that compiled code allocates from.
#ifndef LH_RUNTIME_CPU_ARENA_H
#define LH_RUNTIME_CPU_ARENA_H

#include "runtime/abi/MemorySource.h"
#include "runtime/abi/Poison.h"
#include "runtime/cpu/SpinLock.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lh {

/// Hands out blocks aligned to 64 bytes or more and keeps what is released in
/// free lists, so that a repeated call faults in no pages. Thread-safe.
class Arena {
public:
  /// `source` must outlive it.
  explicit Arena(MemorySource &source = systemMemory()) : source(source) {}
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena();

  /// Never null: memory that can't be had ends the process as a fatal error,
  /// since compiled code doesn't check.
  void *allocate(size_t size, size_t alignment);
  /// Null is ignored. A pointer that isn't a live block here is a fatal error.
  void release(void *block);
  bool owns(const void *block) const;

  /// While set, new blocks are filled with it and stand between fences.
  void setPoison(std::optional<Poison> filling) { poison = filling; }
  /// The size of a block whose fences were written to, of those released or
  /// reclaimed since the last call.
  std::optional<size_t> takeDamage() { return std::exchange(damaged, {}); }

  size_t liveBlocks() const { return live.size(); }
  size_t liveBytes() const { return inUse; }
  size_t peakBytes() const { return peak; }
  /// Blocks taken from the system, ever; the rest had been released before.
  size_t freshBlocks() const { return fresh; }
  void resetPeak() { peak = inUse; }

  /// Takes back every live block as if it had been released.
  void reclaim();

private:
  using SizeClass = std::pair<size_t, size_t>; ///< bytes, alignment
  struct Block {
    SizeClass sizeClass;
    size_t requested = 0;
    size_t front = 0; ///< bytes before it that belong to it; 0: no fences
  };
  void *takeFree(SizeClass sizeClass);
  void putBack(void *block, const Block &how);

  MemorySource &source;
  mutable SpinLock lock;
  std::unordered_map<const void *, Block> live;
  std::map<SizeClass, std::vector<void *>> freeLists;
  size_t inUse = 0, peak = 0, fresh = 0;
  std::optional<size_t> damaged;
  std::optional<Poison> poison;
};

} // namespace lh

#endif // LH_RUNTIME_CPU_ARENA_H
