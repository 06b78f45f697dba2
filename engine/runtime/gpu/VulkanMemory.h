// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that host and a device of Vulkan's see, by two addresses.
#ifndef LH_RUNTIME_GPU_VULKANMEMORY_H
#define LH_RUNTIME_GPU_VULKANMEMORY_H

#include "runtime/gpu/VulkanDevice.h"

#include <map>
#include <optional>

namespace lh {

/// A struct of Vulkan's that says what it is.
template <typename Info> Info infoOf(VkStructureType type) {
  Info info = {};
  info.sType = type;
  return info;
}

/// A buffer for each block, mapped as long as it lives.
class VulkanMemory {
public:
  struct Place {
    VkBuffer buffer;
    VkDeviceSize offset;
  };

  /// Borrowed.
  explicit VulkanMemory(const OpenVulkan &open) : open(open), vk(open.vk) {}
  ~VulkanMemory();
  VulkanMemory(const VulkanMemory &) = delete;
  VulkanMemory &operator=(const VulkanMemory &) = delete;

  /// Sets `at` to a block aligned to 256 bytes, for the host.
  VkResult allocate(size_t bytes, void *&at);
  /// Does nothing with what is no block's.
  void release(const void *at);

  /// Nothing for what is no block's.
  std::optional<Place> placeOf(const void *at) const;
  /// What kernels call it; 0 for what is no block's.
  uint64_t addressOf(const void *at) const;

private:
  struct Block {
    VkBuffer buffer = nullptr;
    VkDeviceMemory memory = nullptr;
    size_t bytes = 0;
    uint64_t address = 0; ///< on the device
  };
  using Blocks = std::map<const std::byte *, Block>;

  VkResult tryAllocate(Block &block, void *&at);
  void destroy(const Block &block);
  Blocks::const_iterator blockOf(const void *at) const;

  const OpenVulkan &open;
  const VulkanFunctions &vk;
  Blocks blocks; ///< by where the host sees them
};

} // namespace lh

#endif // LH_RUNTIME_GPU_VULKANMEMORY_H
