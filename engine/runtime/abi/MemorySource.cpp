// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The system's memory, in huge pages.
#include "runtime/abi/MemorySource.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>

#include <sys/mman.h>

using namespace lh;

namespace {
constexpr size_t hugePage = size_t(2) << 20;
/// Of address space: what isn't used takes no memory.
constexpr size_t slabBytes = 16 * hugePage;
/// A larger block would leave much of a slab unused.
constexpr size_t mostOfSlab = slabBytes / 4;

/// A hint: what it returns doesn't matter.
void wantHugePages(void *block, size_t bytes) {
  (void)::madvise(block, bytes, MADV_HUGEPAGE);
}

size_t roundedUp(size_t bytes, size_t step) {
  return (bytes + step - 1) / step * step;
}

/// Blocks side by side in slabs, since a block alone that is smaller than a
/// huge page has none; large ones by themselves. In pages of 4 KiB the time of
/// the same code differs more from process to process: for a product of 512^3
/// by 1 %, in huge pages by 0.4 %.
class SystemMemory : public MemorySource {
public:
  void *take(size_t bytes, size_t alignment) override {
    if (bytes + alignment > mostOfSlab)
      return takeAlone(bytes, std::max(alignment, hugePage));
    std::lock_guard<std::mutex> guard(lock);
    size_t at = roundedUp(next, alignment);
    if (!current || at + bytes > slabBytes) {
      if (!openSlab())
        return nullptr;
      at = 0;
    }
    next = at + bytes;
    ++blocks[current];
    return reinterpret_cast<void *>(current + at);
  }

  void giveBack(void *block) override {
    std::lock_guard<std::mutex> guard(lock);
    auto address = reinterpret_cast<uintptr_t>(block);
    auto slab = blocks.find(address / slabBytes * slabBytes);
    if (slab == blocks.end())
      return std::free(block);
    if (--slab->second > 0)
      return;
    if (slab->first == current)
      next = 0;
    else
      closeSlab(slab);
  }

private:
  using Slabs = std::map<uintptr_t, size_t>;

  static void *takeAlone(size_t bytes, size_t alignment) {
    size_t rounded = roundedUp(bytes, alignment);
    void *block = std::aligned_alloc(alignment, rounded);
    if (block)
      wantHugePages(block, rounded);
    return block;
  }

  bool openSlab() {
    void *slab = takeAlone(slabBytes, slabBytes);
    if (!slab)
      return false;
    if (auto old = blocks.find(current); old != blocks.end() && !old->second)
      closeSlab(old);
    current = reinterpret_cast<uintptr_t>(slab);
    blocks[current] = 0;
    return true;
  }

  void closeSlab(Slabs::iterator slab) {
    std::free(reinterpret_cast<void *>(slab->first));
    blocks.erase(slab);
  }

  std::mutex lock;
  Slabs blocks;          ///< how many are in use, by the slab's address
  uintptr_t current = 0; ///< the slab that has room; 0: none
  size_t next = 0;       ///< its first byte that no block had
};
} // namespace

MemorySource &lh::systemMemory() {
  static auto *memory = new SystemMemory; // who uses it may outlive all statics
  return *memory;
}
