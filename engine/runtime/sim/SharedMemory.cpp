// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds, copies in flight, and races in shared memory.
#include "runtime/sim/SharedMemory.h"

#include <sys/mman.h>

#include <algorithm>

using namespace lh;

static constexpr uint64_t wordBytes = SimWord::bytes;

static void *mapLow(size_t bytes) {
#ifdef MAP_32BIT
  void *block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  return block == MAP_FAILED ? nullptr : block;
#else
  for (uintptr_t hint = 0x20000000; hint < 0x78000000; hint += 0x1000000) {
    void *block =
        mmap(reinterpret_cast<void *>(hint), bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (block != MAP_FAILED)
      return block;
  }
  return nullptr;
#endif
}

SimSharedMemory::SimSharedMemory() {
  // Twice the size holds one aligned window.
  char *block = static_cast<char *>(mapLow(2 * windowBytes));
  if (!block)
    return;
  uintptr_t address = reinterpret_cast<uintptr_t>(block);
  uintptr_t aligned = (address + windowBytes - 1) & ~(windowBytes - 1);
  window = reinterpret_cast<char *>(aligned);
  if (aligned > address)
    munmap(block, aligned - address);
  if (uintptr_t tail = address + windowBytes - aligned)
    munmap(window + windowBytes, tail);
  words.resize(windowBytes / wordBytes);
  states.resize(windowBytes / wordBytes);
}

SimSharedMemory::~SimSharedMemory() {
  if (window)
    munmap(window, windowBytes);
}

void SimSharedMemory::begin(const SimSharedLayout &newLayout,
                            Poison newPoison) {
  poison = newPoison;
  std::fill_n(states.begin(), (used + wordBytes - 1) / wordBytes, uint8_t(0));
  layout = newLayout;
  used = 0;
  for (const SimSharedLayout::Buffer &buffer : layout.buffers) {
    uint64_t end = buffer.begin + buffer.bytes;
    fillWithPoison(bytesAt(buffer.begin), buffer.bytes, poison);
    for (uint64_t word = buffer.begin / wordBytes; word * wordBytes < end;
         ++word)
      for (uint64_t byte = 0; byte < wordBytes; ++byte)
        if (uint64_t at = word * wordBytes + byte;
            at >= buffer.begin && at < end)
          states[word] = static_cast<uint8_t>(states[word] | 1u << byte);
    used = std::max(used, end);
  }
}

void SimSharedMemory::forget() {
  std::fill(words.begin(), words.end(), SimWord());
}

std::string SimSharedMemory::place(uint64_t offset) const {
  std::string text = "byte " + std::to_string(offset) + " of shared memory";
  for (size_t i = 0; i < layout.buffers.size(); ++i)
    if (offset >= layout.buffers[i].begin &&
        offset < layout.buffers[i].begin + layout.buffers[i].bytes)
      return text + " (byte " +
             std::to_string(offset - layout.buffers[i].begin) + " of buffer " +
             std::to_string(i) + ")";
  return text;
}

std::optional<SimAccessProblem>
SimSharedMemory::checkState(uint64_t offset, uint64_t bytes) const {
  for (uint64_t word = offset / wordBytes; word * wordBytes < offset + bytes;
       ++word) {
    unsigned mask = SimWord::maskOf(word, offset, bytes);
    if (~states[word] & mask)
      return SimAccessProblem{DiagKind::BackendOutOfBounds,
                              std::to_string(bytes) + " bytes at " +
                                  place(offset) +
                                  ", which no buffer of the block covers"};
    if (states[word] >> 4 & mask)
      return SimAccessProblem{
          DiagKind::BackendMissingWait,
          place(word * wordBytes) +
              " before the asynchronous copy to it was waited for"};
  }
  return std::nullopt;
}

std::optional<SimAccessProblem>
SimSharedMemory::touch(const void *address, uint64_t bytes, SimTouch how,
                       SimStamp stamp, const SimClocks &clocks) {
  uint64_t offset = reinterpret_cast<uintptr_t>(address) -
                    reinterpret_cast<uintptr_t>(window);
  if (offset >= windowBytes || bytes > windowBytes - offset)
    return SimAccessProblem{DiagKind::BackendOutOfBounds,
                            std::to_string(bytes) +
                                " bytes outside of shared memory (offset " +
                                std::to_string(int64_t(offset)) + ")"};
  if (auto problem = checkState(offset, bytes))
    return problem;
  for (uint64_t word = offset / wordBytes; word * wordBytes < offset + bytes;
       ++word) {
    unsigned mask = SimWord::maskOf(word, offset, bytes);
    if (auto race = words[word].touch(mask, how, stamp, clocks))
      return SimAccessProblem{DiagKind::BackendDataRace,
                              place(word * wordBytes) + race->text(clocks)};
    if (how == SimTouch::CopyStart)
      states[word] = static_cast<uint8_t>(states[word] | mask << 4);
  }
  if (how == SimTouch::CopyStart)
    fillWithPoison(bytesAt(offset), bytes, poison);
  return std::nullopt;
}

void SimSharedMemory::land(const void *address, uint64_t bytes,
                           SimStamp stamp) {
  uint64_t offset = reinterpret_cast<uintptr_t>(address) -
                    reinterpret_cast<uintptr_t>(window);
  for (uint64_t word = offset / wordBytes; word * wordBytes < offset + bytes;
       ++word) {
    unsigned mask = SimWord::maskOf(word, offset, bytes);
    states[word] = static_cast<uint8_t>(states[word] & ~(mask << 4));
    words[word].land(mask, stamp);
  }
}
