// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocates, maps and finds buffers.
#include "runtime/gpu/VulkanMemory.h"

#include "llvm/Support/MathExtras.h"

using namespace lh;

VulkanMemory::~VulkanMemory() {
  for (const auto &[at, block] : blocks)
    destroy(block);
}

void VulkanMemory::destroy(const Block &block) {
  vk.DestroyBuffer(open.device, block.buffer, nullptr);
  vk.FreeMemory(open.device, block.memory, nullptr);
}

/// Leaves what it has made in `block` when it fails.
VkResult VulkanMemory::tryAllocate(Block &block, void *&at) {
  auto info = infoOf<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = block.bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkResult result = vk.CreateBuffer(open.device, &info, nullptr, &block.buffer);
  if (result != VK_SUCCESS)
    return result;
  VkMemoryRequirements needs = {};
  vk.GetBufferMemoryRequirements(open.device, block.buffer, &needs);
  auto flags = infoOf<VkMemoryAllocateFlagsInfo>(
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  auto memory =
      infoOf<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  memory.pNext = &flags;
  memory.allocationSize = needs.size;
  result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  for (uint32_t type : open.memoryTypes) {
    if (!(needs.memoryTypeBits >> type & 1))
      continue;
    memory.memoryTypeIndex = type;
    result = vk.AllocateMemory(open.device, &memory, nullptr, &block.memory);
    if (result == VK_SUCCESS)
      break;
  }
  if (result == VK_SUCCESS)
    result = vk.BindBufferMemory(open.device, block.buffer, block.memory, 0);
  if (result == VK_SUCCESS)
    result = vk.MapMemory(open.device, block.memory, 0, VK_WHOLE_SIZE, 0, &at);
  return result;
}

VkResult VulkanMemory::allocate(size_t bytes, void *&at) {
  constexpr size_t alignment = 256; // see Device::allocate
  Block block;
  // Drivers map to what suits them: there is room to align it.
  block.bytes =
      llvm::alignTo(std::max<size_t>(bytes, 1), alignment) + alignment;
  void *mapped = nullptr;
  VkResult result = tryAllocate(block, mapped);
  if (result != VK_SUCCESS) {
    destroy(block);
    return result;
  }
  auto info = infoOf<VkBufferDeviceAddressInfo>(
      VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO);
  info.buffer = block.buffer;
  block.address = vk.GetBufferDeviceAddress(open.device, &info);
  blocks[static_cast<std::byte *>(mapped)] = block;
  at = reinterpret_cast<void *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(mapped), alignment));
  return VK_SUCCESS;
}

void VulkanMemory::release(const void *at) {
  auto block = blockOf(at);
  if (block == blocks.end())
    return;
  destroy(block->second);
  blocks.erase(block);
}

VulkanMemory::Blocks::const_iterator
VulkanMemory::blockOf(const void *at) const {
  const auto *byte = static_cast<const std::byte *>(at);
  auto next = blocks.upper_bound(byte);
  if (next == blocks.begin())
    return blocks.end();
  auto block = std::prev(next);
  return byte < block->first + block->second.bytes ? block : blocks.end();
}

std::optional<VulkanMemory::Place> VulkanMemory::placeOf(const void *at) const {
  auto block = blockOf(at);
  if (block == blocks.end())
    return std::nullopt;
  return Place{block->second.buffer,
               static_cast<VkDeviceSize>(static_cast<const std::byte *>(at) -
                                         block->first)};
}

uint64_t VulkanMemory::addressOf(const void *at) const {
  auto block = blockOf(at);
  if (block == blocks.end())
    return 0;
  return block->second.address +
         static_cast<uint64_t>(static_cast<const std::byte *>(at) -
                               block->first);
}
