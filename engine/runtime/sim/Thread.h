// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread of a block that is being simulated.
#ifndef LH_RUNTIME_SIM_THREAD_H
#define LH_RUNTIME_SIM_THREAD_H

#include "runtime/sim/AsyncCopies.h"
#include "runtime/sim/Fiber.h"
#include "runtime/sim/Operation.h"
#include "runtime/sim/Wgmma.h"

namespace lh {

struct SimThread {
  enum class State : uint8_t {
    Ready,        ///< can go on
    Polling,      ///< can go on, but only looks again for what others do
    AtCollective, ///< waits for the other lanes at `call`
    AtBarrier,    ///< waits at barrier `barrier`
    AtPhase,      ///< waits for the end of a phase of `phaseBarrier`
    Done,
  };

  SimBlock *block = nullptr;
  unsigned index = 0, warp = 0, lane = 0;
  std::array<uint32_t, 3> id = {};

  State state = State::Ready;
  unsigned slices = 0; ///< how often it polled since it last waited
  SimCall call;        ///< what it waits at, or did last
  unsigned barrier = 0;
  /// Of a barrier with a reduction: threads with a true value, and all.
  std::array<unsigned, 2> reduced = {};
  const void *phaseBarrier = nullptr;
  uint64_t parity = 0; ///< of that phase
  SimAsyncCopies copies;
  SimWgmmaGroups wgmma;

  char *stack = nullptr; ///< its upper end; null before it has begun
  FiberState fiber = nullptr;
};

} // namespace lh

#endif // LH_RUNTIME_SIM_THREAD_H
