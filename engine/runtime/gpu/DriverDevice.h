// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU that a vendor's driver runs.
#ifndef LH_RUNTIME_GPU_DRIVERDEVICE_H
#define LH_RUNTIME_GPU_DRIVERDEVICE_H

#include "runtime/gpu/DriverApi.h"

#include <memory>

namespace lh {

/// `where` is where its complaints point to.
std::unique_ptr<Device> makeDriverDevice(DriverApi api, SourceSpan where);

} // namespace lh

#endif // LH_RUNTIME_GPU_DRIVERDEVICE_H
