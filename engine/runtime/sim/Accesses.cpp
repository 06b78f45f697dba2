// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races: two accesses to a byte, not both reads, that nothing orders.
#include "runtime/sim/Accesses.h"

using namespace lh;

std::string SimRace::text(const SimClocks &clocks) const {
  std::string who = clocks.isEngine(actor) ? "an asynchronous copy or product"
                                           : "thread " + std::to_string(actor);
  return " without a barrier after " + who + (wrote ? " wrote it" : " read it");
}

std::optional<uint64_t> SimWord::findUnordered(unsigned mask, unsigned actor,
                                               const SimClocks &clocks) const {
  for (uint64_t each : reads)
    if ((bytesOf(each) & mask) && !clocks.isBefore(stampOf(each), actor))
      return each;
  return std::nullopt;
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
    read(mask, stamp, clocks);
    return std::nullopt;
  }
  if (auto other = findUnordered(mask, actor, clocks))
    return SimRace{stampOf(*other).actor(), false};
  uint64_t fresh = packed(stamp, mask) | (atomic ? atomicBit : 0);
  note(writes, fresh, clocks);
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
