// The simulated device's memory: what was allocated can be used, and no more.
#ifndef LH_BACKEND_GPU_SIM_GLOBALMEMORY_H
#define LH_BACKEND_GPU_SIM_GLOBALMEMORY_H

#include "support/Diagnostic.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace lh {

/// One reserved range of addresses, committed as it is allocated. Allocations
/// begin at multiples of 256 bytes and never touch each other.
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

  /// Whether all `bytes` at `address` belong to one allocation.
  bool covers(const void *address, uint64_t bytes) const {
    uint64_t offset = reinterpret_cast<uintptr_t>(address) -
                      reinterpret_cast<uintptr_t>(begin);
    if (offset >= size)
      return false;
    uint64_t valid = usable[offset / granule];
    if (offset % granule + bytes <= valid)
      return true;
    return valid == granule && coversFollowing(offset, bytes);
  }
  /// "4 bytes past the end of the allocation of 64 bytes", for messages.
  std::string describe(const void *address) const;

private:
  bool coversFollowing(uint64_t offset, uint64_t bytes) const;

  char *begin = nullptr;
  uint64_t size = 0, next = 0;
  uint16_t *usable = nullptr; ///< bytes of each granule that are allocated
  std::map<uint64_t, uint64_t> allocated;     ///< offset to bytes
  std::multimap<uint64_t, uint64_t> released; ///< room to offset
};

} // namespace lh

#endif // LH_BACKEND_GPU_SIM_GLOBALMEMORY_H
