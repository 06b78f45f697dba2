// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses among Vulkan's devices and opens one.
#include "runtime/gpu/ShaderNeeds.h"
#include "runtime/gpu/VulkanDevice.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

namespace {
/// What a device tells of itself. Not to be copied: its parts are linked.
struct DeviceFacts {
  explicit DeviceFacts(const VulkanFunctions &vk, VkPhysicalDevice device);
  DeviceFacts(const DeviceFacts &) = delete;
  DeviceFacts &operator=(const DeviceFacts &) = delete;

  const VkPhysicalDeviceLimits &limits() const { return all.properties.limits; }
  bool isSoftware() const {
    return all.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  }
  bool isAtLeast(uint32_t version) const {
    return all.properties.apiVersion >= version;
  }
  std::string name() const { return all.properties.deviceName; }
  std::vector<uint32_t> capabilities() const;
  bool choosesLanes(uint32_t lanes) const;

  VkPhysicalDeviceProperties2 all = {};
  VkPhysicalDeviceVulkan11Properties of11 = {};
  VkPhysicalDeviceVulkan12Properties of12 = {};
  VkPhysicalDeviceSubgroupSizeControlProperties lanes = {};
  VkPhysicalDeviceFeatures2 features = {};
  VkPhysicalDeviceVulkan11Features features11 = {};
  VkPhysicalDeviceVulkan12Features features12 = {};
  VkPhysicalDeviceSubgroupSizeControlFeatures laneFeatures = {};
};
} // namespace

DeviceFacts::DeviceFacts(const VulkanFunctions &vk, VkPhysicalDevice device) {
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  vk.GetPhysicalDeviceProperties2(device, &all);
  if (!isAtLeast(VK_API_VERSION_1_2))
    return;
  of11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  of12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  lanes.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
  features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  laneFeatures.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
  all.pNext = &of11;
  of11.pNext = &of12;
  features.pNext = &features11;
  features11.pNext = &features12;
  if (isAtLeast(VK_API_VERSION_1_3)) {
    of12.pNext = &lanes;
    features12.pNext = &laneFeatures;
  }
  vk.GetPhysicalDeviceProperties2(device, &all);
  vk.GetPhysicalDeviceFeatures2(device, &features);
}

std::vector<uint32_t> DeviceFacts::capabilities() const {
  constexpr uint32_t shader = 1, matrix = 0, groups = 61;
  std::vector<uint32_t> has = {shader, matrix, groups};
  auto add = [&](uint32_t capability, VkBool32 isThere) {
    if (isThere)
      has.push_back(capability);
  };
  const VkPhysicalDeviceFeatures &core = features.features;
  add(Float16Capability, features12.shaderFloat16);
  add(Float64Capability, core.shaderFloat64);
  add(Int64Capability, core.shaderInt64);
  add(Int16Capability, core.shaderInt16);
  add(Int8Capability, features12.shaderInt8);
  add(SubgroupShuffleCapability, (of11.subgroupSupportedOperations &
                                  VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0);
  add(Storage16Capability, features11.storageBuffer16BitAccess);
  add(Storage8Capability, features12.storageBuffer8BitAccess);
  add(KeepsNanCapability, of12.shaderSignedZeroInfNanPreserveFloat32);
  add(AddressesCapability, features12.bufferDeviceAddress);
  return has;
}

bool DeviceFacts::choosesLanes(uint32_t wanted) const {
  return laneFeatures.subgroupSizeControl && wanted >= lanes.minSubgroupSize &&
         wanted <= lanes.maxSubgroupSize &&
         (lanes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
}

/// What the chip's code needs and the device hasn't; empty: nothing.
static std::string lackOf(const DeviceFacts &facts, const Chip &chip,
                          DeviceChoice choice) {
  if (choice == DeviceChoice::Real && facts.isSoftware())
    return "is software";
  if (choice == DeviceChoice::Simulated && !facts.isSoftware())
    return "is hardware";
  if (!facts.isAtLeast(VK_API_VERSION_1_2))
    return "is older than Vulkan 1.2";
  if (!facts.features12.bufferDeviceAddress)
    return "has no addresses of buffers (bufferDeviceAddress)";
  if (!facts.features.features.shaderInt64)
    return "has no integers of 64 bits (shaderInt64)";
  if (chip.lanes > 1 && facts.of11.subgroupSize != chip.lanes &&
      !facts.choosesLanes(chip.lanes))
    return "has subgroups of " + std::to_string(facts.of11.subgroupSize) +
           " lanes, the target's 'subgroup_lanes' are " +
           std::to_string(chip.lanes);
  if (facts.limits().maxComputeSharedMemorySize < chip.sharedBytes)
    return "has " + std::to_string(facts.limits().maxComputeSharedMemorySize) +
           " bytes of shared memory, the target's 'shared_bytes_most' are " +
           std::to_string(chip.sharedBytes);
  return "";
}

namespace {
/// Opens one device. Everything is borrowed.
class VulkanOpener {
public:
  VulkanOpener(const Chip &chip, DeviceChoice choice, const SourceSpan &where,
               DiagnosticSink &sink)
      : chip(chip), choice(choice), where(where), sink(sink) {}

  FailureOr<OpenVulkan> open(StringRef library);

private:
  LogicalResult fail(const Twine &what) {
    return sink.error(DiagKind::BackendUnavailable, where, what);
  }
  FailureOr<VkPhysicalDevice> choose();
  LogicalResult chooseQueue(VkPhysicalDevice device, const DeviceFacts &facts);
  LogicalResult chooseMemory(VkPhysicalDevice device);
  LogicalResult create(VkPhysicalDevice device, const DeviceFacts &facts);
  void note(const DeviceFacts &facts);

  const Chip &chip;
  DeviceChoice choice;
  const SourceSpan &where;
  DiagnosticSink &sink;
  OpenVulkan opened;
};
} // namespace

/// The first that fits, of those that are no software's if there is one.
FailureOr<VkPhysicalDevice> VulkanOpener::choose() {
  const VulkanFunctions &vk = opened.vk;
  uint32_t count = 0;
  (void)vk.EnumeratePhysicalDevices(vk.instance, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  (void)vk.EnumeratePhysicalDevices(vk.instance, &count, devices.data());
  std::string seen;
  VkPhysicalDevice software = nullptr;
  for (VkPhysicalDevice device : devices) {
    DeviceFacts facts(vk, device);
    std::string lack = lackOf(facts, chip, choice);
    if (lack.empty() && !facts.isSoftware())
      return device;
    if (lack.empty() && !software)
      software = device;
    if (!lack.empty())
      seen += (seen.empty() ? "" : "; ") + ("'" + facts.name() + "' ") + lack;
  }
  if (software)
    return software;
  return fail(seen.empty() ? Twine("Vulkan's drivers have no device; Debian's "
                                   "package mesa-vulkan-drivers has one that "
                                   "runs on the CPU")
                           : "no device of Vulkan's runs the code: " + seen);
}

LogicalResult VulkanOpener::chooseQueue(VkPhysicalDevice device,
                                        const DeviceFacts &facts) {
  uint32_t count = 0;
  opened.vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  opened.vk.GetPhysicalDeviceQueueFamilyProperties(device, &count,
                                                   families.data());
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t bits = families[i].timestampValidBits;
    if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) || bits == 0)
      continue;
    opened.queueFamily = i;
    opened.tickMask = bits >= 64 ? ~0ULL : (1ULL << bits) - 1;
    opened.tickSeconds =
        static_cast<double>(facts.limits().timestampPeriod) * 1e-9;
    return success();
  }
  return fail("'" + facts.name() +
              "' has no queue that computes and has a clock");
}

LogicalResult VulkanOpener::chooseMemory(VkPhysicalDevice device) {
  VkPhysicalDeviceMemoryProperties memory = {};
  opened.vk.GetPhysicalDeviceMemoryProperties(device, &memory);
  constexpr VkMemoryPropertyFlags shared = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (bool isLocal : {true, false})
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
      VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
      bool isThere = (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
      if ((flags & shared) == shared && isThere == isLocal)
        opened.memoryTypes.push_back(i);
    }
  if (!opened.memoryTypes.empty())
    return success();
  return fail("the device has no memory that the host sees, too");
}

/// With the features that its kernels may need, and no other.
LogicalResult VulkanOpener::create(VkPhysicalDevice device,
                                   const DeviceFacts &facts) {
  VkPhysicalDeviceSubgroupSizeControlFeatures lanes = {};
  lanes.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
  lanes.subgroupSizeControl = VK_TRUE;
  VkPhysicalDeviceVulkan12Features of12 = {};
  of12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  of12.pNext = opened.choosesLanes ? &lanes : nullptr;
  of12.shaderFloat16 = facts.features12.shaderFloat16;
  of12.shaderInt8 = facts.features12.shaderInt8;
  of12.storageBuffer8BitAccess = facts.features12.storageBuffer8BitAccess;
  of12.bufferDeviceAddress = VK_TRUE;
  VkPhysicalDeviceVulkan11Features of11 = {};
  of11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  of11.pNext = &of12;
  of11.storageBuffer16BitAccess = facts.features11.storageBuffer16BitAccess;
  VkPhysicalDeviceFeatures2 features = {};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &of11;
  features.features.shaderFloat64 = facts.features.features.shaderFloat64;
  features.features.shaderInt64 = VK_TRUE;
  features.features.shaderInt16 = facts.features.features.shaderInt16;
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = opened.queueFamily;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  VkResult made =
      opened.vk.CreateDevice(device, &info, nullptr, &opened.device);
  if (made != VK_SUCCESS)
    return fail("'" + facts.name() +
                "' can't be opened: " + vulkanErrorName(made));
  opened.vk.GetDeviceQueue(opened.device, opened.queueFamily, 0, &opened.queue);
  return success();
}

void VulkanOpener::note(const DeviceFacts &facts) {
  uint32_t version = facts.all.properties.apiVersion;
  opened.description = facts.name() + " (Vulkan " +
                       std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
                       std::to_string(VK_API_VERSION_MINOR(version)) +
                       (facts.isSoftware() ? ", software)" : ")");
  const VkPhysicalDeviceLimits &limits = facts.limits();
  for (size_t i = 0; i < 3; ++i) {
    opened.limits.block[i] = limits.maxComputeWorkGroupSize[i];
    opened.dispatch[i] = limits.maxComputeWorkGroupCount[i];
    // What is more along x becomes several dispatches.
    opened.limits.grid[i] = i == 0 ? UINT32_MAX : opened.dispatch[i];
  }
  opened.limits.threads = limits.maxComputeWorkGroupInvocations;
  opened.limits.sharedBytes = limits.maxComputeSharedMemorySize;
  opened.capabilities = facts.capabilities();
  opened.isSoftware = facts.isSoftware();
  opened.choosesLanes = facts.choosesLanes(chip.lanes);
}

FailureOr<OpenVulkan> VulkanOpener::open(StringRef library) {
  std::string problem = opened.vk.open(library);
  if (!problem.empty())
    return fail(problem);
  FailureOr<VkPhysicalDevice> device = choose();
  if (failed(device))
    return failure();
  DeviceFacts facts(opened.vk, *device);
  note(facts);
  if (failed(chooseQueue(*device, facts)) || failed(chooseMemory(*device)) ||
      failed(create(*device, facts)))
    return failure();
  return std::move(opened);
}

FailureOr<OpenVulkan> lh::openVulkan(const Chip &chip, DeviceChoice choice,
                                     StringRef library, const SourceSpan &where,
                                     DiagnosticSink &sink) {
  return VulkanOpener(chip, choice, where, sink).open(library);
}
