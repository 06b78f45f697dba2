// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which accesses of a block's threads happened before which.
#ifndef LH_RUNTIME_SIM_CLOCKS_H
#define LH_RUNTIME_SIM_CLOCKS_H

#include "core/support/Diagnostic.h"

#include <cstdint>
#include <vector>

namespace lh {

/// When something happened: in which epoch (from one barrier of all threads to
/// the next), by which actor (a thread, or a copy engine), at which tick of it.
/// 0: never.
struct SimStamp {
  uint64_t bits = 0;

  static constexpr unsigned actorBits = 12, tickBits = 24;
  static SimStamp make(uint64_t epoch, unsigned actor, uint64_t tick) {
    return {epoch << (actorBits + tickBits) | uint64_t(actor) << tickBits |
            (tick & ((uint64_t(1) << tickBits) - 1))};
  }
  uint64_t epoch() const { return bits >> (actorBits + tickBits); }
  unsigned actor() const {
    return static_cast<unsigned>(bits >> tickBits) & ((1u << actorBits) - 1);
  }
  uint32_t tick() const {
    return static_cast<uint32_t>(bits & ((1u << tickBits) - 1));
  }
};

/// Vector clocks of the actors of one block. Actors 0 to threads-1 are the
/// threads, the ones above are copy engines.
class SimClocks {
public:
  static constexpr unsigned engines = 64;
  using Knowledge = std::vector<uint32_t>;

  /// A new block of `threads` threads in warps of `wave`.
  void begin(unsigned threads, unsigned wave);

  SimStamp now(unsigned actor) const {
    return SimStamp::make(epoch, actor, ticks[actor]);
  }
  /// Whether what has `stamp` happened before what `actor` does next.
  bool isBefore(SimStamp stamp, unsigned actor) const {
    return stamp.epoch() < epoch || stamp.actor() == actor ||
           (dirty && stamp.tick() < known[actor * width + stamp.actor()]);
  }

  /// All threads waited for each other.
  void barrier() { ++epoch; }
  /// These threads waited for each other; `warp`: they are of one warp.
  void meet(ArrayRef<unsigned> actors, bool warp);
  /// What `actor` has done is added to `to`; what it does next isn't.
  void release(unsigned actor, Knowledge &to);
  /// `actor` waited for what `from` was made of.
  void acquire(unsigned actor, const Knowledge &from);
  /// `actor` knows what `other` did before `tick`.
  void learn(unsigned actor, unsigned other, uint32_t tick);
  /// A copy engine's next piece of work; it happens after what `by` did.
  SimStamp startEngine(unsigned engine, unsigned by);

  uint64_t currentEpoch() const { return epoch; }
  bool isEngine(unsigned actor) const { return actor >= threads; }
  unsigned engineActor(unsigned engine) const { return threads + engine; }

private:
  unsigned threads = 0, wave = 32, width = 0;
  uint64_t epoch = 0;
  bool dirty = true;    ///< `known` isn't all zero
  bool crossed = false; ///< warps have met other than at barriers
  std::vector<uint32_t> ticks;
  std::vector<uint32_t> known; ///< [actor][of whom]: ticks below are known
};

} // namespace lh

#endif // LH_RUNTIME_SIM_CLOCKS_H
