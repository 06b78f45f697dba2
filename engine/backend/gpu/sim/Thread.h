// One thread of a block that is being simulated.
#ifndef LH_BACKEND_GPU_SIM_THREAD_H
#define LH_BACKEND_GPU_SIM_THREAD_H

#include "backend/gpu/sim/AsyncCopies.h"
#include "backend/gpu/sim/Fiber.h"
#include "backend/gpu/sim/Operation.h"

namespace lh {

struct SimThread {
  enum class State : uint8_t {
    Ready,        ///< can go on
    AtCollective, ///< waits for the other lanes at `call`
    AtBarrier,    ///< waits at barrier `barrier`
    Done,
  };

  SimBlock *block = nullptr;
  unsigned index = 0, warp = 0, lane = 0;
  std::array<uint32_t, 3> id = {};

  State state = State::Ready;
  SimCall call; ///< what it waits at, or did last
  unsigned barrier = 0;
  /// Of a barrier with a reduction: threads with a true value, and all.
  std::array<unsigned, 2> reduced = {};
  SimAsyncCopies copies;

  char *stack = nullptr; ///< its upper end; null before it has begun
  FiberState fiber = nullptr;
};

} // namespace lh

#endif // LH_BACKEND_GPU_SIM_THREAD_H
