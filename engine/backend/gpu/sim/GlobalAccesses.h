// What blocks do to global memory, and where two of them collide.
#ifndef LH_BACKEND_GPU_SIM_GLOBALACCESSES_H
#define LH_BACKEND_GPU_SIM_GLOBALACCESSES_H

#include "backend/gpu/sim/Accesses.h"
#include "backend/gpu/sim/LineTable.h"

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

  /// Notes an access; the first byte of a word where it races with an earlier
  /// one of the block.
  struct Race {
    uint64_t address;
    SimRace race;
  };
  std::optional<Race> touch(uint64_t address, uint64_t bytes, SimTouch how,
                            const SimSite &site, SimStamp stamp,
                            const SimClocks &clocks);

  struct Line {
    SimLineMasks masks;
    std::array<SimWord, SimLineTableBase::lineBytes / SimWord::bytes> words;
    /// Of each word's last write, or of its last read where none writes it.
    std::array<const SimSite *, SimLineTableBase::lineBytes / SimWord::bytes>
        sites = {};
  };
  const SimLineTable<Line> &lines() const { return table; }

private:
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

#endif // LH_BACKEND_GPU_SIM_GLOBALACCESSES_H
