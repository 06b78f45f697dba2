// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated device's memory: what was allocated can be used, and no more.
#ifndef LH_RUNTIME_SIM_GLOBALMEMORY_H
#define LH_RUNTIME_SIM_GLOBALMEMORY_H

#include "core/support/Diagnostic.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace lh {

/// One reserved range of addresses, committed as it is allocated, so that a
/// limit on the process's data counts what is in use alone. Allocations begin
/// at multiples of 256 bytes and never touch each other. Of each a part is for
/// kernels: all, until confine() says otherwise.
class SimGlobalMemory {
public:
  static constexpr uint64_t granule = 256;

  /// Holds at most `bytes`.
  explicit SimGlobalMemory(uint64_t bytes);
  ~SimGlobalMemory();
  SimGlobalMemory(const SimGlobalMemory &) = delete;

  /// Null when there is no room; holds NaNs.
  void *allocate(uint64_t bytes);
  /// False for what wasn't allocated.
  bool release(void *block);

  /// From now on kernels use these bytes of the allocation that they are in,
  /// and no others; what isn't in one is ignored.
  void confine(const void *part, uint64_t bytes);

  /// Whether all `bytes` at `address` are for kernels, in one allocation.
  bool covers(const void *address, uint64_t bytes) const {
    uint64_t offset = offsetOf(address);
    if (offset >= size)
      return false;
    const Granule &valid = usable[offset / granule];
    uint64_t at = offset % granule;
    if (at < valid.begin)
      return false;
    return at + bytes <= valid.end ||
           (valid.end == granule && coversFollowing(offset, bytes));
  }
  /// "4 bytes past the end of the allocation of 64 bytes", for messages.
  std::string describe(const void *address) const;
  /// "byte 8 of an allocation of 64 bytes" for an address that is in one.
  std::string place(uintptr_t address) const;

private:
  struct Allocation {
    uint64_t bytes = 0;
    uint64_t begin = 0, end = 0; ///< offsets of what is for kernels
  };
  struct Granule {
    uint16_t begin = 0, end = 0; ///< the same, from the granule's begin
  };
  using Allocations = std::map<uint64_t, Allocation>; ///< by offset

  uint64_t offsetOf(const void *address) const {
    return reinterpret_cast<uintptr_t>(address) -
           reinterpret_cast<uintptr_t>(begin);
  }
  bool coversFollowing(uint64_t offset, uint64_t bytes) const;
  /// The last allocation that begins at or before `offset`, or end().
  Allocations::const_iterator findBefore(uint64_t offset) const;
  void noteUsable(uint64_t offset, const Allocation &allocation);
  /// Makes writable what lies before `end`; false if the host has no room.
  bool commit(uint64_t end);

  char *begin = nullptr;
  uint64_t size = 0, next = 0, committed = 0;
  Granule *usable = nullptr;
  Allocations allocated;
  std::multimap<uint64_t, uint64_t> released; ///< room to offset
};

} // namespace lh

#endif // LH_RUNTIME_SIM_GLOBALMEMORY_H
