// What is known of a word of memory: who read and wrote it lately.
#ifndef LH_BACKEND_GPU_SIM_ACCESSES_H
#define LH_BACKEND_GPU_SIM_ACCESSES_H

#include "backend/gpu/sim/Clocks.h"

#include <algorithm>
#include <optional>
#include <string>

namespace lh {

/// How something touches memory.
enum class SimTouch {
  Read,
  Write,
  Atomic,    ///< reads and writes, but not against other atomics
  CopyStart, ///< an asynchronous copy begins to write here
};

/// What is wrong with an access: the kind, and the end of the sentence that
/// begins with who does it.
struct SimAccessProblem {
  DiagKind kind;
  std::string text;
};

/// An access that another one races with.
struct SimRace {
  unsigned actor = 0;
  bool wrote = false;

  /// " without a barrier after thread 3 wrote it"
  std::string text(const SimClocks &clocks) const;
};

/// Four bytes: their latest two writes and reads that didn't happen one before
/// the other. All zero: nobody has touched them.
class SimWord {
public:
  static constexpr uint64_t bytes = 4;

  /// The bytes of word number `word`, a bit for each, that [offset, offset +
  /// count) covers.
  static unsigned maskOf(uint64_t word, uint64_t offset, uint64_t count) {
    uint64_t begin = word * bytes;
    uint64_t from = std::max(offset, begin) - begin;
    uint64_t to = std::min(offset + count, begin + bytes) - begin;
    return (1u << to) - (1u << from);
  }

  /// Notes what the actor of `stamp` does to the bytes in `mask`; an earlier
  /// access that nothing orders before it.
  std::optional<SimRace> touch(unsigned mask, SimTouch how, SimStamp stamp,
                               const SimClocks &clocks);
  /// The bytes in `mask` count as written at `stamp`.
  void land(unsigned mask, SimStamp stamp);
  /// Who wrote, or else read, one of these bytes; none: that isn't known.
  std::optional<unsigned> lastActor(unsigned mask) const;

private:
  uint64_t writes[2] = {}, reads[2] = {};
};

} // namespace lh

#endif // LH_BACKEND_GPU_SIM_ACCESSES_H
