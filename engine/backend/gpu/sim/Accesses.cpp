// Races: two accesses to a byte, not both reads, that nothing orders.
#include "backend/gpu/sim/Accesses.h"

using namespace lh;

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

std::string SimRace::text(const SimClocks &clocks) const {
  std::string who = clocks.isEngine(actor) ? "an asynchronous copy or product"
                                           : "thread " + std::to_string(actor);
  return " without a barrier after " + who + (wrote ? " wrote it" : " read it");
}

std::optional<SimRace> SimWord::touch(unsigned mask, SimTouch how,
                                      SimStamp stamp, const SimClocks &clocks) {
  unsigned actor = stamp.actor();
  bool atomic = how == SimTouch::Atomic;
  for (uint64_t each : writes) {
    if (!(bytesOf(each) & mask) || (atomic && (each & atomicBit)))
      continue;
    SimStamp written = stampOf(each & ~atomicBit);
    if (!clocks.isBefore(written, actor))
      return SimRace{written.actor(), true};
  }
  if (how == SimTouch::Read) {
    note(reads, packed(stamp, mask), mask, actor, clocks);
    return std::nullopt;
  }
  if (auto other = findUnordered(reads, mask, actor, clocks))
    return SimRace{stampOf(*other).actor(), false};
  uint64_t fresh = packed(stamp, mask) | (atomic ? atomicBit : 0);
  note(writes, fresh, mask, actor, clocks);
  return std::nullopt;
}

void SimWord::land(unsigned mask, SimStamp stamp) {
  writes[writes[0] && bytesOf(writes[0]) != mask ? 1 : 0] = packed(stamp, mask);
}

std::optional<unsigned> SimWord::lastActor(unsigned mask) const {
  for (const auto *noted : {&writes, &reads})
    for (uint64_t each : *noted)
      if (bytesOf(each) & mask)
        return stampOf(each & ~atomicBit).actor();
  return std::nullopt;
}
