// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backends `cuda`, `rocm` and `xe`: kernels for a GPU, a driver or a
// simulation.
#ifndef LH_RUNTIME_GPU_GPUBACKEND_H
#define LH_RUNTIME_GPU_GPUBACKEND_H

#include "runtime/abi/Backend.h"
#include "runtime/abi/DeviceChoice.h"
#include "runtime/abi/HostFacts.h"
#include "runtime/gpu/DeviceTools.h"
#include "runtime/gpu/OpenDevice.h"

namespace lh {

std::unique_ptr<Backend> makeGpuBackend(Vendor vendor, HostFacts host,
                                        DeviceTools tools, DeviceChoice choice);

} // namespace lh

#endif // LH_RUNTIME_GPU_GPUBACKEND_H
