// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU that isn't there: device code run on the host, thread by thread.
#ifndef LH_RUNTIME_SIM_SIMDEVICE_H
#define LH_RUNTIME_SIM_SIMDEVICE_H

#include "runtime/abi/Device.h"

#include <memory>

namespace lh {

struct SimOptions {
  std::string chip;     ///< "sm_80", "sm_90a", "gfx942"
  uint64_t seed = 0;    ///< 0: in order; 1: backwards; else drawn from it
  unsigned workers = 0; ///< host threads that run blocks; 0: one per core
};

/// A device that takes LLVM bitcode for NVPTX or AMDGCN as its images. A launch
/// ends at the first finding of the first block (in the order that the seed
/// gives) that has one, and is reported at `where`. Null, with a diagnostic,
/// for a chip that isn't known.
std::unique_ptr<Device> openSimulatedDevice(const SimOptions &options,
                                            const SourceSpan &where,
                                            DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_SIM_SIMDEVICE_H
