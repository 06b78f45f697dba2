// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of a word of memory: who read and wrote it lately.
#ifndef LH_RUNTIME_SIM_ACCESSES_H
#define LH_RUNTIME_SIM_ACCESSES_H

#include "runtime/sim/Clocks.h"

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
  /// The same for a read of what nobody of the block has written.
  void read(unsigned mask, SimStamp stamp, const SimClocks &clocks) {
    note(reads, packed(stamp, mask), clocks);
  }
  /// Whether such an access changes nothing: the actor has done the same at
  /// `stamp`, and no other is known.
  bool isOnly(unsigned mask, SimTouch how, SimStamp stamp) const {
    uint64_t same = packed(stamp, mask);
    auto isOwn = [&](uint64_t noted) { return !noted || noted == same; };
    if (how == SimTouch::Read)
      return (reads[0] == same || reads[1] == same) && isOwn(writes[0]) &&
             !writes[1];
    return how == SimTouch::Write && writes[0] == same && !writes[1] &&
           isOwn(reads[0]) && isOwn(reads[1]);
  }
  /// The bytes in `mask` count as written at `stamp`.
  void land(unsigned mask, SimStamp stamp);
  /// Who wrote, or else read, one of these bytes; none: that isn't known.
  std::optional<unsigned> lastActor(unsigned mask) const;

private:
  static constexpr unsigned maskBits = 4;
  /// Atomics are noted as writes of an actor of their own: the highest bit of
  /// the tick tells them apart.
  static constexpr uint64_t atomicBit = uint64_t(1)
                                        << (SimStamp::tickBits - 1) << maskBits;
  /// A stamp and the bytes of the word it is about.
  static uint64_t packed(SimStamp stamp, unsigned mask) {
    return stamp.bits << maskBits | mask;
  }
  static SimStamp stampOf(uint64_t packed) { return {packed >> maskBits}; }
  static unsigned bytesOf(uint64_t packed) {
    return packed & ((1u << maskBits) - 1);
  }

  /// Keeps the accesses that what comes next could race with.
  static void note(uint64_t (&noted)[2], uint64_t fresh,
                   const SimClocks &clocks) {
    unsigned actor = stampOf(fresh).actor();
    auto isCovered = [&](uint64_t old) {
      SimStamp stamp = stampOf(old & ~atomicBit);
      if (stamp.epoch() < clocks.currentEpoch())
        return true;
      // Others' atomics race with a plain write, and not with an atomic after
      // it.
      bool hides = !(fresh & atomicBit) || (old & atomicBit);
      return hides && !(bytesOf(old) & ~bytesOf(fresh)) &&
             clocks.isBefore(stamp, actor);
    };
    if (isCovered(noted[0])) {
      noted[0] = fresh;
      return;
    }
    if (!isCovered(noted[1]))
      noted[0] = noted[1];
    noted[1] = fresh;
  }
  std::optional<uint64_t> findUnordered(unsigned mask, unsigned actor,
                                        const SimClocks &clocks) const;

  uint64_t writes[2] = {}, reads[2] = {};
};

} // namespace lh

#endif // LH_RUNTIME_SIM_ACCESSES_H
