// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the blocks of a launch on the host's cores.
#ifndef LH_RUNTIME_SIM_LAUNCHER_H
#define LH_RUNTIME_SIM_LAUNCHER_H

#include "runtime/sim/Block.h"

namespace lh {

class SimLauncher {
public:
  /// `workers`: host threads at most, at least 1.
  SimLauncher(const SimChip &chip, const SimGlobalMemory &memory,
              unsigned workers)
      : chip(chip), memory(memory), workers(workers) {}

  /// The finding of the first block, in the order of the launch's seed, that
  /// has one; what later blocks do then is open. Two blocks that touch the
  /// same byte of global memory, not both reading it, are a finding of the
  /// later one. A kernel with atomics on global memory runs on one host thread,
  /// as the order of its blocks shows, and its blocks aren't compared: the
  /// atomics may order what else they do.
  std::optional<SimFinding> run(const SimLaunch &launch);

private:
  const SimChip &chip;
  const SimGlobalMemory &memory;
  unsigned workers;
  std::vector<std::unique_ptr<SimBlock>> blocks; ///< one per worker
  SimLaunchAccesses accesses;                    ///< of the launch that runs
};

} // namespace lh

#endif // LH_RUNTIME_SIM_LAUNCHER_H
