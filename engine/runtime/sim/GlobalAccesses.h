// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What blocks do to global memory, and where two of them collide.
#ifndef LH_RUNTIME_SIM_GLOBALACCESSES_H
#define LH_RUNTIME_SIM_GLOBALACCESSES_H

#include "runtime/sim/Accesses.h"
#include "runtime/sim/LineTable.h"

#include <array>

namespace lh {

struct SimSite;

/// Bytes of a line that were touched: a bit for each.
struct SimLineMasks {
  uint64_t read = 0, written = 0;
  uint64_t updated = 0; ///< by atomics
};

/// What one block does.
class SimGlobalAccesses {
public:
  /// A new block.
  void begin() { table.clear(); }

  struct Access {
    SimTouch how;
    const SimSite &site;
    SimStamp stamp;
    const SimClocks &clocks;
  };
  struct Race {
    uint64_t address;
    SimRace race;
  };
  /// Notes an access; the first byte where it races with an earlier one of the
  /// block.
  std::optional<Race> touch(uint64_t address, uint64_t bytes,
                            const Access &access);

  /// What comes first is used most.
  struct Line {
    static constexpr size_t wordCount =
        SimLineTableBase::lineBytes / SimWord::bytes;
    SimLineMasks masks;
    const SimSite *lastRead = nullptr;
    std::array<SimWord, wordCount> words;
    std::array<const SimSite *, wordCount> lastWrite = {};
  };
  const SimLineTable<Line> &lines() const { return table; }

private:
  static std::optional<SimRace> touchWord(Line &line, uint64_t word,
                                          unsigned mask, const Access &access);

  SimLineTable<Line> table;
};

/// What all blocks of one launch do. Nothing orders two blocks of a launch.
class SimLaunchAccesses {
public:
  /// An access to a byte that a block before has touched, too, not both reads
  /// or atomics.
  struct Collision {
    uint64_t address = 0;
    bool writes = false;            ///< else it reads
    bool wasWritten = false;        ///< else it was read
    std::optional<unsigned> thread; ///< of the block that came later
    const SimSite *site = nullptr;  ///< the same
  };

  /// Adds a block's accesses; the collision with the lowest address, if any.
  std::optional<Collision> add(const SimGlobalAccesses &block);
  /// A new launch.
  void begin() { table.clear(); }

private:
  SimLineTable<SimLineMasks> table;
};

} // namespace lh

#endif // LH_RUNTIME_SIM_GLOBALACCESSES_H
