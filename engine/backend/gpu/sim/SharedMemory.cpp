// Bounds, copies in flight, and races in shared memory.
#include "backend/gpu/sim/SharedMemory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

using namespace lh;

static constexpr uint64_t wordBytes = 4;
/// What shared memory holds before it is written: NaN, as f16, bf16 and f32.
static constexpr int poison = 0xFF;

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

void SimSharedMemory::begin(const SimSharedLayout &newLayout) {
  std::fill_n(states.begin(), (used + wordBytes - 1) / wordBytes, uint8_t(0));
  layout = newLayout;
  used = 0;
  for (const SimSharedLayout::Buffer &buffer : layout.buffers) {
    uint64_t end = buffer.begin + buffer.bytes;
    std::memset(window + buffer.begin, poison, buffer.bytes);
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
  std::fill(words.begin(), words.end(), Word{});
}

/// The bytes of word `word` that [offset, offset + bytes) covers.
static unsigned maskOf(uint64_t word, uint64_t offset, uint64_t bytes) {
  uint64_t begin = word * wordBytes;
  uint64_t from = std::max(offset, begin) - begin;
  uint64_t to = std::min(offset + bytes, begin + wordBytes) - begin;
  return (1u << to) - (1u << from);
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
    unsigned mask = maskOf(word, offset, bytes);
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

namespace {
constexpr unsigned maskBits = 4;
/// Atomics are noted as writes of an actor of their own: the highest bit of the
/// tick tells them apart.
constexpr uint64_t atomicBit = uint64_t(1)
                               << (SimStamp::tickBits - 1) << maskBits;
/// A stamp and the bytes of the word it is about.
uint64_t packed(SimStamp stamp, unsigned mask) {
  return stamp.bits << maskBits | mask;
}
SimStamp stampOf(uint64_t packed) { return {packed >> maskBits}; }
unsigned bytesOf(uint64_t packed) { return packed & ((1u << maskBits) - 1); }
} // namespace

static std::optional<uint64_t> findUnordered(const uint64_t (&noted)[2],
                                             unsigned mask, unsigned actor,
                                             const SimClocks &clocks) {
  for (uint64_t each : noted)
    if ((bytesOf(each) & mask) && !clocks.isBefore(stampOf(each), actor))
      return each;
  return std::nullopt;
}

/// Keeps the accesses that what comes next could race with.
static void note(uint64_t (&noted)[2], uint64_t fresh, unsigned mask,
                 unsigned actor, const SimClocks &clocks) {
  auto isCovered = [&](uint64_t old) {
    SimStamp stamp = stampOf(old & ~atomicBit);
    if (stamp.epoch() < clocks.currentEpoch())
      return true;
    // Others' atomics race with a plain write, and not with an atomic after it.
    bool hides = !(fresh & atomicBit) || (old & atomicBit);
    return hides && clocks.isBefore(stamp, actor) && !(bytesOf(old) & ~mask);
  };
  if (isCovered(noted[0])) {
    noted[0] = fresh;
    return;
  }
  if (!isCovered(noted[1]))
    noted[0] = noted[1];
  noted[1] = fresh;
}

static std::string raceText(uint64_t other, StringRef verb,
                            const SimClocks &clocks) {
  unsigned actor = stampOf(other).actor();
  std::string who = clocks.isEngine(actor) ? "an asynchronous copy or product"
                                           : "thread " + std::to_string(actor);
  return " without a barrier after " + who + " " + verb.str() + " it";
}

std::optional<SimAccessProblem>
SimSharedMemory::touchWord(uint64_t word, unsigned mask, SimTouch how,
                           SimStamp stamp, const SimClocks &clocks) {
  Word &known = words[word];
  unsigned actor = stamp.actor();
  auto race = [&](uint64_t other, StringRef verb) {
    return SimAccessProblem{DiagKind::BackendDataRace,
                            place(word * wordBytes) +
                                raceText(other, verb, clocks)};
  };
  bool atomic = how == SimTouch::Atomic;
  for (uint64_t each : known.writes) {
    if (!(bytesOf(each) & mask) || (atomic && (each & atomicBit)))
      continue;
    SimStamp written = stampOf(each & ~atomicBit);
    if (!clocks.isBefore(written, actor))
      return race(each, "wrote");
  }
  if (how == SimTouch::Read) {
    note(known.reads, packed(stamp, mask), mask, actor, clocks);
    return std::nullopt;
  }
  if (auto other = findUnordered(known.reads, mask, actor, clocks))
    return race(*other, "read");
  uint64_t fresh = packed(stamp, mask) | (atomic ? atomicBit : 0);
  note(known.writes, fresh, mask, actor, clocks);
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
    unsigned mask = maskOf(word, offset, bytes);
    if (auto problem = touchWord(word, mask, how, stamp, clocks))
      return problem;
    if (how == SimTouch::CopyStart)
      states[word] = static_cast<uint8_t>(states[word] | mask << 4);
  }
  if (how == SimTouch::CopyStart)
    std::memset(window + offset, poison, bytes);
  return std::nullopt;
}

void SimSharedMemory::land(const void *address, uint64_t bytes,
                           SimStamp stamp) {
  uint64_t offset = reinterpret_cast<uintptr_t>(address) -
                    reinterpret_cast<uintptr_t>(window);
  for (uint64_t word = offset / wordBytes; word * wordBytes < offset + bytes;
       ++word) {
    unsigned mask = maskOf(word, offset, bytes);
    states[word] = static_cast<uint8_t>(states[word] & ~(mask << 4));
    Word &known = words[word];
    known.writes[known.writes[0] && bytesOf(known.writes[0]) != mask ? 1 : 0] =
        packed(stamp, mask);
  }
}
