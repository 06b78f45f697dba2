// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all blocks of a launch have in common.
#ifndef LH_RUNTIME_SIM_LAUNCH_H
#define LH_RUNTIME_SIM_LAUNCH_H

#include "runtime/abi/Device.h"
#include "runtime/sim/SharedMemory.h"

#include <memory>

namespace lh {

class SimGlobalMemory;
class SimModule;

struct SimKernel {
  std::string name;
  const SimModule *module = nullptr;
  void (*run)(void **arguments) = nullptr;
  unsigned wave = 32;
  uint64_t threadLimit = 0; ///< of a block, by the kernel itself; 0: none
  bool hasGlobalAtomics = false;
  uint64_t frameBytes = 0;    ///< of the stack, at most
  std::vector<uint64_t> parameterBytes;
  SimSharedLayout shared;     ///< without dynamic shared memory
  uint64_t dynamicOffset = 0; ///< where dynamic shared memory begins
  bool usesDynamic = false;
};

struct SimLaunch {
  const SimKernel *kernel = nullptr;
  LaunchShape shape;
  SimSharedLayout shared;
  void **arguments = nullptr;
  uint64_t seed = 0;
  Poison poison = Poison::NotANumber; ///< in shared memory
};

/// Position of a block in its grid, or of a thread in its block; x first.
using SimPosition = std::array<uint32_t, 3>;

/// Position of number `index` among `sizes`.
inline SimPosition positionIn(const std::array<uint64_t, 3> &sizes,
                              uint64_t index) {
  return {static_cast<uint32_t>(index % sizes[0]),
          static_cast<uint32_t>(index / sizes[0] % sizes[1]),
          static_cast<uint32_t>(index / sizes[0] / sizes[1])};
}

} // namespace lh

#endif // LH_RUNTIME_SIM_LAUNCH_H
