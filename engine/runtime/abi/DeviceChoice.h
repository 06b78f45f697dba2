// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether code for GPUs runs on real ones.
#ifndef LH_RUNTIME_ABI_DEVICECHOICE_H
#define LH_RUNTIME_ABI_DEVICECHOICE_H

#include "core/support/Diagnostic.h"

#include <optional>

namespace lh {

/// What the command line says by `--device`. Auto: a real one where there is
/// one that runs the target's code, else a simulated one. What runs Vulkan's
/// code on a CPU (Mesa's lavapipe) is as good as simulated.
enum class DeviceChoice { Auto, Simulated, Real };

/// "auto", "sim", "real".
inline std::optional<DeviceChoice> parseDeviceChoice(StringRef word) {
  if (word == "auto")
    return DeviceChoice::Auto;
  if (word == "sim")
    return DeviceChoice::Simulated;
  if (word == "real")
    return DeviceChoice::Real;
  return std::nullopt;
}

} // namespace lh

#endif // LH_RUNTIME_ABI_DEVICECHOICE_H
