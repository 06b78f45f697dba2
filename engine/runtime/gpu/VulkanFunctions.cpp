// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens Vulkan's loader.
#include "runtime/gpu/VulkanFunctions.h"

#include "runtime/gpu/DriverLibrary.h"

using namespace lh;

std::string VulkanFunctions::open(StringRef library) {
  DriverLibrary loader(library.empty() ? std::string("libvulkan.so.1")
                                       : library.str());
  if (!loader.problem().empty())
    return "there is no Vulkan (Debian's package libvulkan1): " +
           loader.problem();
  PFN_vkGetInstanceProcAddr find = nullptr;
  loader.bind(find, "vkGetInstanceProcAddr");
  auto create = find ? reinterpret_cast<PFN_vkCreateInstance>(
                           find(nullptr, "vkCreateInstance"))
                     : nullptr;
  if (!create)
    return "Vulkan's loader has no 'vkGetInstanceProcAddr' that works";
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3; // the newest that is used
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkResult made = create(&info, nullptr, &instance);
  if (made == VK_ERROR_INCOMPATIBLE_DRIVER)
    return "no driver of Vulkan is installed; Debian's package "
           "mesa-vulkan-drivers has one that runs on the CPU";
  if (made != VK_SUCCESS)
    return "Vulkan doesn't start: " + vulkanErrorName(made);
  std::string missing;
#define LH_FIND(name)                                                          \
  name = reinterpret_cast<PFN_vk##name>(find(instance, "vk" #name));           \
  if (!name)                                                                   \
    missing += missing.empty() ? "'vk" #name "'" : ", 'vk" #name "'";
  LH_VULKAN_FUNCTIONS(LH_FIND)
#undef LH_FIND
  return missing.empty() ? ""
                         : "Vulkan's loader is too old: it has no " + missing;
}

std::string lh::vulkanErrorName(VkResult error) {
  switch (error) {
#define LH_NAME(name)                                                          \
  case name:                                                                   \
    return #name;
    LH_NAME(VK_TIMEOUT)
    LH_NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
    LH_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    LH_NAME(VK_ERROR_INITIALIZATION_FAILED)
    LH_NAME(VK_ERROR_DEVICE_LOST)
    LH_NAME(VK_ERROR_MEMORY_MAP_FAILED)
    LH_NAME(VK_ERROR_LAYER_NOT_PRESENT)
    LH_NAME(VK_ERROR_FEATURE_NOT_PRESENT)
    LH_NAME(VK_ERROR_TOO_MANY_OBJECTS)
    LH_NAME(VK_ERROR_UNKNOWN)
#undef LH_NAME
  default:
    return "error " + std::to_string(static_cast<int>(error));
  }
}
