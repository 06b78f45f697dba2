// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation from one reserved range; freed blocks are used again by size.
#include "runtime/sim/GlobalMemory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

using namespace lh;

static constexpr uint64_t pageBytes = 4096;

/// What becomes writable at a time; whole pages of the granules' notes, too.
static constexpr uint64_t chunkBytes = 2 << 20;

static void *reserve(uint64_t bytes) {
  void *block = mmap(nullptr, bytes, PROT_READ,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return block == MAP_FAILED ? nullptr : block;
}

SimGlobalMemory::SimGlobalMemory(uint64_t bytes) {
  begin = static_cast<char *>(reserve(bytes));
  usable = static_cast<Granule *>(reserve(bytes / granule * sizeof(Granule)));
  size = begin && usable ? bytes : 0;
}

SimGlobalMemory::~SimGlobalMemory() {
  if (begin)
    munmap(begin, size);
  if (usable)
    munmap(usable, size / granule * sizeof(Granule));
}

bool SimGlobalMemory::commit(uint64_t end) {
  if (end <= committed)
    return true;
  uint64_t upTo = (end + chunkBytes - 1) / chunkBytes * chunkBytes;
  constexpr int usual = PROT_READ | PROT_WRITE;
  uint64_t bytes = std::min(upTo, size) - committed;
  if (mprotect(begin + committed, bytes, usual) != 0 ||
      mprotect(usable + committed / granule, bytes / granule * sizeof(Granule),
               usual) != 0)
    return false;
  committed += bytes;
  return true;
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
  } else if (room > size - next || !commit(next + room)) {
    return nullptr;
  } else {
    next += room;
  }
  Allocation &allocation = allocated[offset];
  allocation = {bytes, offset, offset + bytes};
  noteUsable(offset, allocation);
  std::memset(begin + offset, 0xFF, bytes);
  return begin + offset;
}

void SimGlobalMemory::noteUsable(uint64_t offset,
                                 const Allocation &allocation) {
  for (uint64_t at = offset; at < offset + allocation.bytes; at += granule) {
    auto inGranule = [&](uint64_t edge) {
      return static_cast<uint16_t>(std::clamp(edge, at, at + granule) - at);
    };
    usable[at / granule] = {inGranule(allocation.begin),
                            inGranule(allocation.end)};
  }
}

void SimGlobalMemory::confine(const void *part, uint64_t bytes) {
  uint64_t offset = offsetOf(part);
  auto found = findBefore(offset);
  if (found == allocated.end())
    return;
  Allocation &allocation = allocated[found->first];
  uint64_t end = found->first + allocation.bytes;
  if (offset > end || bytes > end - offset)
    return;
  allocation.begin = offset;
  allocation.end = offset + bytes;
  noteUsable(found->first, allocation);
}

bool SimGlobalMemory::release(void *block) {
  uint64_t offset = offsetOf(block);
  auto found = allocated.find(offset);
  if (found == allocated.end())
    return false;
  uint64_t bytes = found->second.bytes;
  uint64_t room = (bytes / granule + 2) * granule;
  std::fill_n(usable + offset / granule, room / granule, Granule());
  // Whole pages go back to the host; neighbours may share the others.
  uint64_t from = (offset + pageBytes - 1) & ~(pageBytes - 1);
  uint64_t to = (offset + bytes) & ~(pageBytes - 1);
  if (from < to)
    madvise(begin + from, to - from, MADV_DONTNEED);
  released.emplace(room, offset);
  allocated.erase(found);
  return true;
}

SimGlobalMemory::Allocations::const_iterator
SimGlobalMemory::findBefore(uint64_t offset) const {
  auto after = allocated.upper_bound(offset);
  return offset >= size || after == allocated.begin() ? allocated.end()
                                                      : std::prev(after);
}

bool SimGlobalMemory::coversFollowing(uint64_t offset, uint64_t bytes) const {
  auto found = findBefore(offset);
  if (found == allocated.end())
    return false;
  const Allocation &allocation = found->second;
  return offset >= allocation.begin && offset < allocation.end &&
         bytes <= allocation.end - offset;
}

std::string SimGlobalMemory::place(uintptr_t address) const {
  uint64_t offset = address - reinterpret_cast<uintptr_t>(begin);
  auto found = findBefore(offset);
  if (found == allocated.end())
    return "global memory";
  const Allocation &allocation = found->second;
  return "byte " + std::to_string(offset - allocation.begin) +
         " of an allocation of " +
         std::to_string(allocation.end - allocation.begin) + " bytes";
}

std::string SimGlobalMemory::describe(const void *address) const {
  uint64_t offset = offsetOf(address);
  if (offset >= size || allocated.empty())
    return "which is in no allocation of the device";
  auto found = findBefore(offset);
  if (found == allocated.end())
    found = allocated.begin();
  const Allocation &allocation = found->second;
  auto describe = [&](uint64_t distance, StringRef side) {
    return std::to_string(distance) + " bytes " + side.str() +
           " of an allocation of " +
           std::to_string(allocation.end - allocation.begin) + " bytes";
  };
  if (offset < allocation.begin)
    return describe(allocation.begin - offset, "before the begin");
  return offset < allocation.end
             ? describe(allocation.end - offset, "before the end")
             : describe(offset - allocation.end, "past the end");
}
