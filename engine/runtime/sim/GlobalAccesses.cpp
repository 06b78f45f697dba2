// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words of a block's lines are compared by its clocks, lines of blocks by sets.
#include "runtime/sim/GlobalAccesses.h"

#include <bit>

using namespace lh;

static constexpr uint64_t lineBytes = SimLineTableBase::lineBytes;

/// Notes an access to bytes of one word, which `line`'s masks don't have yet.
inline std::optional<SimRace>
SimGlobalAccesses::touchWord(Line &line, uint64_t word, unsigned mask,
                             const Access &access) {
  SimWord &known = line.words[word];
  uint64_t bytes = uint64_t(mask) << word * SimWord::bytes;
  bool isWritten = (line.masks.written | line.masks.updated) & bytes;
  if (access.how == SimTouch::Read) {
    line.masks.read |= bytes;
    line.lastRead = &access.site;
    // Most of what is read is never written.
    if (!isWritten) {
      known.read(mask, access.stamp, access.clocks);
      return std::nullopt;
    }
  } else {
    (access.how == SimTouch::Atomic ? line.masks.updated
                                    : line.masks.written) |= bytes;
    line.lastWrite[word] = &access.site;
  }
  if (known.isOnly(mask, access.how, access.stamp))
    return std::nullopt;
  return known.touch(mask, access.how, access.stamp, access.clocks);
}

std::optional<SimGlobalAccesses::Race>
SimGlobalAccesses::touch(uint64_t address, uint64_t bytes,
                         const Access &access) {
  for (uint64_t end = address + bytes; address < end;) {
    Line &line = table[address / lineBytes];
    // All words of it that the access has bytes of.
    do {
      uint64_t byte = address % SimWord::bytes;
      uint64_t count = std::min(end - address, SimWord::bytes - byte);
      if (auto race = touchWord(line, address % lineBytes / SimWord::bytes,
                                ((1u << count) - 1) << byte, access))
        return Race{address, *race};
      address += count;
    } while (address < end && address % lineBytes);
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
  collision.site = collision.writes ? line.lastWrite[word] : line.lastRead;
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
