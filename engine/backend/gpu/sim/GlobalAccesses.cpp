// Words of a block's lines are compared by its clocks, lines of blocks by sets.
#include "backend/gpu/sim/GlobalAccesses.h"

#include <bit>

using namespace lh;

static constexpr uint64_t lineBytes = SimLineTableBase::lineBytes;

static void note(SimLineMasks &masks, SimTouch how, uint64_t bytes) {
  if (how == SimTouch::Read)
    masks.read |= bytes;
  else if (how == SimTouch::Atomic)
    masks.updated |= bytes;
  else
    masks.written |= bytes;
}

std::optional<SimGlobalAccesses::Race>
SimGlobalAccesses::touch(uint64_t address, uint64_t bytes, SimTouch how,
                         const SimSite &site, SimStamp stamp,
                         const SimClocks &clocks) {
  for (uint64_t end = address + bytes; address < end;) {
    Line &line = table[address / lineBytes];
    uint64_t first = address % lineBytes;
    uint64_t count = std::min(end - address, lineBytes - first);
    note(line.masks, how, ~uint64_t(0) >> (lineBytes - count) << first);
    for (uint64_t word = first / SimWord::bytes;
         word * SimWord::bytes < first + count; ++word) {
      unsigned mask = SimWord::maskOf(word, first, count);
      if (auto race = line.words[word].touch(mask, how, stamp, clocks))
        return Race{address - first + word * SimWord::bytes, *race};
      uint64_t written = line.masks.written | line.masks.updated;
      bool isWritten = written >> word * SimWord::bytes & 0xF;
      if (how != SimTouch::Read || !isWritten)
        line.sites[word] = &site;
    }
    address += count;
  }
  return std::nullopt;
}

static SimLaunchAccesses::Collision
describe(const SimLineTable<SimGlobalAccesses::Line>::Entry &entry,
         const SimLineMasks &before, uint64_t colliding) {
  auto byte = static_cast<unsigned>(std::countr_zero(colliding));
  unsigned word = byte / SimWord::bytes;
  const SimGlobalAccesses::Line &line = entry.line;
  SimLaunchAccesses::Collision collision;
  collision.address = entry.number * lineBytes + byte;
  collision.writes = (line.masks.written | line.masks.updated) >> byte & 1;
  collision.wasWritten = (before.written | before.updated) >> byte & 1;
  collision.thread = line.words[word].lastActor(1u << byte % SimWord::bytes);
  collision.site = line.sites[word];
  return collision;
}

std::optional<SimLaunchAccesses::Collision>
SimLaunchAccesses::add(const SimGlobalAccesses &block) {
  std::optional<Collision> found;
  for (const auto &entry : block.lines()) {
    const SimLineMasks &now = entry.line.masks;
    SimLineMasks &before = table[entry.number];
    uint64_t colliding =
        (before.written & (now.read | now.written | now.updated)) |
        (before.read & (now.written | now.updated)) |
        (before.updated & (now.read | now.written));
    if (colliding) {
      Collision collision = describe(entry, before, colliding);
      if (!found || collision.address < found->address)
        found = collision;
    }
    before.read |= now.read;
    before.written |= now.written;
    before.updated |= now.updated;
  }
  return found;
}
