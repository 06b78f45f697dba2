// Allocation from one reserved range; freed blocks are used again by size.
#include "backend/gpu/sim/GlobalMemory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

using namespace lh;

static constexpr uint64_t pageBytes = 4096;

static void *reserve(uint64_t bytes, int protection) {
  void *block = mmap(nullptr, bytes, protection,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return block == MAP_FAILED ? nullptr : block;
}

SimGlobalMemory::SimGlobalMemory(uint64_t bytes) {
  constexpr int usual = PROT_READ | PROT_WRITE;
  begin = static_cast<char *>(reserve(bytes, usual));
  usable = static_cast<uint16_t *>(
      reserve(bytes / granule * sizeof(uint16_t), usual));
  size = begin && usable ? bytes : 0;
}

SimGlobalMemory::~SimGlobalMemory() {
  if (begin)
    munmap(begin, size);
  if (usable)
    munmap(usable, size / granule * sizeof(uint16_t));
}

void *SimGlobalMemory::allocate(uint64_t bytes) {
  // A free granule at the end keeps neighbours apart.
  if (bytes > size)
    return nullptr;
  uint64_t room = (bytes / granule + 2) * granule;
  uint64_t offset = next;
  auto reused = released.find(room);
  if (reused != released.end()) {
    offset = reused->second;
    released.erase(reused);
  } else if (room > size - next) {
    return nullptr;
  } else {
    next += room;
  }
  for (uint64_t left = bytes, at = offset / granule; left; ++at) {
    usable[at] = static_cast<uint16_t>(std::min(left, granule));
    left -= usable[at];
  }
  allocated[offset] = bytes;
  std::memset(begin + offset, 0xFF, bytes);
  return begin + offset;
}

bool SimGlobalMemory::release(void *block) {
  uint64_t offset = static_cast<uint64_t>(static_cast<char *>(block) - begin);
  auto found = allocated.find(offset);
  if (found == allocated.end())
    return false;
  uint64_t room = (found->second / granule + 2) * granule;
  std::memset(usable + offset / granule, 0, room / granule * sizeof(uint16_t));
  // Whole pages go back to the host; neighbours may share the others.
  uint64_t from = (offset + pageBytes - 1) & ~(pageBytes - 1);
  uint64_t to = (offset + found->second) & ~(pageBytes - 1);
  if (from < to)
    madvise(begin + from, to - from, MADV_DONTNEED);
  released.emplace(room, offset);
  allocated.erase(found);
  return true;
}

bool SimGlobalMemory::coversFollowing(uint64_t offset, uint64_t bytes) const {
  auto after = allocated.upper_bound(offset);
  if (after == allocated.begin())
    return false;
  auto [start, length] = *std::prev(after);
  return offset - start < length && bytes <= length - (offset - start);
}

std::string SimGlobalMemory::describe(const void *address) const {
  uint64_t offset =
      static_cast<uint64_t>(static_cast<const char *>(address) - begin);
  auto after = allocated.upper_bound(offset);
  if (offset >= size || allocated.empty())
    return "which is in no allocation of the device";
  auto describe = [&](uint64_t distance, StringRef side, uint64_t bytes) {
    return std::to_string(distance) + " bytes " + side.str() +
           " of an allocation of " + std::to_string(bytes) + " bytes";
  };
  if (after != allocated.begin()) {
    auto [start, bytes] = *std::prev(after);
    return offset < start + bytes
               ? describe(start + bytes - offset, "before the end", bytes)
               : describe(offset - start - bytes, "past the end", bytes);
  }
  return describe(after->first - offset, "before the begin", after->second);
}
