// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vulkan's functions, found in its loader.
#ifndef LH_RUNTIME_GPU_VULKANFUNCTIONS_H
#define LH_RUNTIME_GPU_VULKANFUNCTIONS_H

#include "core/support/Diagnostic.h"

// The functions are looked up at run time: a machine without Vulkan has none.
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

namespace lh {

/// Each is `vk` and the name (Vulkan 1.2, "Commands").
#define LH_VULKAN_FUNCTIONS(X)                                                 \
  X(AllocateCommandBuffers)                                                    \
  X(AllocateDescriptorSets)                                                    \
  X(AllocateMemory)                                                            \
  X(BeginCommandBuffer)                                                        \
  X(BindBufferMemory)                                                          \
  X(CmdBindDescriptorSets)                                                     \
  X(CmdBindPipeline)                                                           \
  X(CmdCopyBuffer)                                                             \
  X(CmdDispatchBase)                                                           \
  X(CmdPipelineBarrier)                                                        \
  X(CmdResetQueryPool)                                                         \
  X(CmdWriteTimestamp)                                                         \
  X(CreateBuffer)                                                              \
  X(CreateCommandPool)                                                         \
  X(CreateComputePipelines)                                                    \
  X(CreateDescriptorPool)                                                      \
  X(CreateDescriptorSetLayout)                                                 \
  X(CreateDevice)                                                              \
  X(CreateFence)                                                               \
  X(CreatePipelineLayout)                                                      \
  X(CreateQueryPool)                                                           \
  X(CreateShaderModule)                                                        \
  X(DestroyBuffer)                                                             \
  X(DestroyPipeline)                                                           \
  X(DestroyShaderModule)                                                       \
  X(EndCommandBuffer)                                                          \
  X(EnumeratePhysicalDevices)                                                  \
  X(FreeMemory)                                                                \
  X(GetBufferDeviceAddress)                                                    \
  X(GetBufferMemoryRequirements)                                               \
  X(GetDeviceQueue)                                                            \
  X(GetPhysicalDeviceFeatures2)                                                \
  X(GetPhysicalDeviceMemoryProperties)                                         \
  X(GetPhysicalDeviceProperties2)                                              \
  X(GetPhysicalDeviceQueueFamilyProperties)                                    \
  X(GetQueryPoolResults)                                                       \
  X(MapMemory)                                                                 \
  X(QueueSubmit)                                                               \
  X(ResetCommandPool)                                                          \
  X(ResetFences)                                                               \
  X(UpdateDescriptorSets)                                                      \
  X(WaitForFences)

/// An instance of Vulkan's, with its functions: `vk.CreateBuffer(...)`.
struct VulkanFunctions {
#define LH_DECLARE(name) PFN_vk##name name = nullptr;
  LH_VULKAN_FUNCTIONS(LH_DECLARE)
#undef LH_DECLARE
  VkInstance instance = nullptr;

  /// Opens the loader (`library`; empty: by Vulkan's name for it) and makes an
  /// instance. Says what there isn't; empty: nothing.
  std::string open(StringRef library);
};

/// "VK_ERROR_DEVICE_LOST", or the number of what isn't known here.
std::string vulkanErrorName(VkResult error);

} // namespace lh

#endif // LH_RUNTIME_GPU_VULKANFUNCTIONS_H
