// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backends `cuda` and `rocm`: kernels for a GPU, a driver or a simulation.
#ifndef LH_BACKEND_GPU_GPUBACKEND_H
#define LH_BACKEND_GPU_GPUBACKEND_H

#include "backend/Backend.h"
#include "backend/DeviceChoice.h"
#include "backend/HostFacts.h"
#include "backend/gpu/DeviceTools.h"
#include "backend/gpu/OpenDevice.h"

namespace lh {

/// The word in a target's `backend:` for a vendor's GPUs.
StringRef backendName(Vendor vendor);

std::unique_ptr<Backend> makeGpuBackend(Vendor vendor, HostFacts host,
                                        DeviceTools tools, DeviceChoice choice);

} // namespace lh

#endif // LH_BACKEND_GPU_GPUBACKEND_H
