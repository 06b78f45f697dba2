// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device of Vulkan's: commands are recorded, and done when they are waited
// for.
#ifndef LH_RUNTIME_GPU_VULKANDEVICE_H
#define LH_RUNTIME_GPU_VULKANDEVICE_H

#include "runtime/abi/Device.h"
#include "runtime/abi/DeviceChoice.h"
#include "runtime/gpu/Chip.h"
#include "runtime/gpu/DeviceLimits.h"
#include "runtime/gpu/VulkanFunctions.h"

#include <memory>

namespace lh {

/// A device that was chosen and opened.
struct OpenVulkan {
  VulkanFunctions vk;
  VkDevice device = nullptr;
  VkQueue queue = nullptr;
  uint32_t queueFamily = 0;
  /// That the host sees, too; what lies with the device first, of which GPUs
  /// may have little.
  std::vector<uint32_t> memoryTypes;
  std::string description; ///< "llvmpipe (LLVM 15.0.6, 256 bits) (Vulkan 1.3,
                           ///< software)"
  bool isSoftware = false;
  DeviceLimits limits;
  /// What one dispatch does of a grid.
  std::array<uint32_t, 3> dispatch = {};
  /// Of the capabilities in ShaderNeeds.h, those that it has.
  std::vector<uint32_t> capabilities;
  bool choosesLanes = false; ///< it can be asked for another number
  double tickSeconds = 0;    ///< of its clock
  uint64_t tickMask = 0;
};

/// Opens `library` (empty: Vulkan's loader) and the first device that runs the
/// chip's code, of hardware, of software (Simulated), or of either, hardware
/// first. Fails with a diagnostic that says what each device lacks.
FailureOr<OpenVulkan> openVulkan(const Chip &chip, DeviceChoice choice,
                                 StringRef library, const SourceSpan &where,
                                 DiagnosticSink &sink);

/// `where` is where its complaints point to.
FailureOr<std::unique_ptr<Device>> makeVulkanDevice(OpenVulkan open,
                                                    const Chip &chip,
                                                    const SourceSpan &where,
                                                    DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_GPU_VULKANDEVICE_H
