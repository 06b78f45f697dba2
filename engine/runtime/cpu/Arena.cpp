// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Size-classed free lists over aligned_alloc.
#include "runtime/cpu/Arena.h"

#include "runtime/abi/Fence.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <bit>
#include <mutex>

using namespace lh;

static constexpr size_t minAlignment = 64;

/// Rounds up to four classes per power of two: at most 25 % is lost.
static size_t classBytes(size_t size) {
  size = std::max(size, minAlignment);
  size_t step = std::max(minAlignment, std::bit_floor(size) / 4);
  return (size + step - 1) / step * step;
}

Arena::~Arena() {
  reclaim();
  for (auto &list : freeLists)
    for (void *block : list.second)
      source.giveBack(block);
}

void *Arena::takeFree(SizeClass sizeClass) {
  std::lock_guard<SpinLock> guard(lock);
  auto list = freeLists.find(sizeClass);
  if (list == freeLists.end() || list->second.empty())
    return nullptr;
  void *block = list->second.back();
  list->second.pop_back();
  return block;
}

/// Keeps a block for later; its fences are looked at a last time.
void Arena::putBack(void *block, const Block &how) {
  auto *bytes = static_cast<std::byte *>(block);
  if (how.front && !fencesStand(bytes, how.requested))
    damaged = how.requested;
  freeLists[how.sizeClass].push_back(bytes - how.front);
}

void *Arena::allocate(size_t size, size_t alignment) {
  if (size > SIZE_MAX / 4)
    llvm::report_fatal_error("out of memory: compiled code asked for " +
                             llvm::Twine(size) + " bytes");
  alignment = std::max(alignment, minAlignment);
  size_t front = poison ? std::max(fenceBytes, alignment) : 0;
  size_t back = poison ? fenceBytes : 0;
  SizeClass sizeClass(classBytes(front + size + back), alignment);
  void *block = takeFree(sizeClass);
  bool isFresh = !block;
  // Without the lock: a source may leave compiled code instead of returning.
  if (isFresh)
    block = source.take(sizeClass.first, sizeClass.second);
  if (!block)
    llvm::report_fatal_error("out of memory: compiled code asked for " +
                             llvm::Twine(size) + " bytes");
  if (poison)
    source.settle();
  block = static_cast<std::byte *>(block) + front;
  source.confine(block, size);
  {
    std::lock_guard<SpinLock> guard(lock);
    fresh += isFresh;
    live[block] = {sizeClass, size, front};
    inUse += size;
    peak = std::max(peak, inUse);
  }
  if (poison) {
    fillWithPoison(static_cast<std::byte *>(block), size, *poison);
    raiseFences(static_cast<std::byte *>(block), size, *poison);
  }
  return block;
}

void Arena::release(void *block) {
  if (!block)
    return;
  if (poison) // fences will be read
    source.settle();
  source.confine(block, 0);
  std::lock_guard<SpinLock> guard(lock);
  auto entry = live.find(block);
  if (entry == live.end())
    llvm::report_fatal_error(
        "compiled code freed memory that it doesn't own, or freed it twice");
  inUse -= entry->second.requested;
  putBack(block, entry->second);
  live.erase(entry);
}

bool Arena::owns(const void *block) const {
  std::lock_guard<SpinLock> guard(lock);
  return live.count(block) != 0;
}

void Arena::reclaim() {
  std::lock_guard<SpinLock> guard(lock);
  for (auto &entry : live)
    putBack(const_cast<void *>(entry.first), entry.second);
  live.clear();
  inUse = 0;
}
