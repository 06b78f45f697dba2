// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device can launch.
#ifndef LH_RUNTIME_GPU_DEVICELIMITS_H
#define LH_RUNTIME_GPU_DEVICELIMITS_H

#include "runtime/abi/Device.h"

namespace lh {

struct DeviceLimits {
  std::array<uint64_t, 3> grid = {}, block = {};
  uint64_t threads = 0;     ///< in a block
  uint64_t sharedBytes = 0; ///< in a block, the kernel's own included
};

/// What is known of a loaded kernel, so that no launch asks again.
struct KernelFacts {
  std::string name;
  /// Threads that its registers allow in a block.
  uint64_t mostThreads = 0;
  /// Shared memory that it has for itself.
  uint64_t ownSharedBytes = 0;
};

/// Refuses a launch that the device, which `description` names, can't hold.
LogicalResult checkLaunch(const KernelFacts &kernel, const LaunchShape &shape,
                          const DeviceLimits &limits, StringRef description,
                          const SourceSpan &where, DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_GPU_DEVICELIMITS_H
