// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which device a target's code runs on, and opening it.
#ifndef LH_RUNTIME_GPU_OPENDEVICE_H
#define LH_RUNTIME_GPU_OPENDEVICE_H

#include "runtime/abi/Device.h"
#include "runtime/abi/DeviceChoice.h"
#include "runtime/gpu/Chip.h"

#include <memory>

namespace lh {

/// What a real device of this machine is, as far as its driver tells.
struct DeviceProbe {
  std::string problem; ///< why there is none for the chip; empty: there is one
  std::string name;    ///< "NVIDIA H200"
  bool isSoftware = false; ///< Vulkan's, on a CPU
};

/// Asks the vendor's driver for a device that runs `chip`'s code, in a process
/// of its own: drivers start threads, after which a fork is not safe. `choice`
/// is among Vulkan's devices.
DeviceProbe probeDevice(const Chip &chip, DeviceChoice choice);

/// Opens the driver's first device. What a later call reports is located at
/// `where`. Drivers start threads: only where the process doesn't fork any
/// more.
FailureOr<std::unique_ptr<Device>> openRealDevice(const Chip &chip,
                                                  DeviceChoice choice,
                                                  const SourceSpan &where,
                                                  DiagnosticSink &sink);

/// A device on this machine's CPU.
FailureOr<std::unique_ptr<Device>>
openSimulation(const Chip &chip, const SourceSpan &where, DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_GPU_OPENDEVICE_H
