// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device over Vulkan. What is launched is recorded to one list of commands,
// which is submitted when somebody waits.
#include "runtime/gpu/VulkanDevice.h"

#include "runtime/gpu/RunningKernels.h"
#include "runtime/gpu/ShaderNeeds.h"
#include "runtime/gpu/VulkanMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <map>

using namespace lh;

namespace {
struct VulkanKernel {
  KernelFacts facts;
  VkPipeline pipeline = nullptr;
};

struct VulkanModule {
  VkShaderModule shaders = nullptr;
  std::map<std::string, std::unique_ptr<VulkanKernel>> kernels;
};

/// A place in the list of timestamps.
struct VulkanEvent {
  uint32_t query = 0;
};

class VulkanDevice : public Device {
public:
  VulkanDevice(OpenVulkan open, uint32_t lanes, SourceSpan where)
      : open(std::move(open)), vk(this->open.vk), lanes(lanes),
        where(std::move(where)) {}
  ~VulkanDevice() override;

  /// Makes what all launches share.
  LogicalResult prepare(DiagnosticSink &sink);

  std::string description() const override { return open.description; }
  bool isSimulated() const override { return false; }

  FailureOr<DeviceModule> load(StringRef image, DiagnosticSink &sink) override;
  void unload(DeviceModule module) override;
  FailureOr<DeviceKernel> findKernel(DeviceModule module, StringRef name,
                                     DiagnosticSink &sink) override;
  LogicalResult launch(DeviceKernel kernel, const LaunchShape &shape,
                       void **arguments, DiagnosticSink &sink) override;
  LogicalResult synchronize(DiagnosticSink &sink) override;

  void *allocate(size_t bytes, DiagnosticSink &sink) override;
  void release(void *block) override;
  uint64_t addressOf(const void *at) const override {
    return memory.addressOf(at);
  }
  LogicalResult copy(void *to, const void *from, size_t bytes,
                     DiagnosticSink &sink) override;
  LogicalResult fill(void *to, uint32_t value, unsigned width, size_t count,
                     DiagnosticSink &sink) override;

  FailureOr<DeviceEvent> record(DiagnosticSink &sink) override;
  void releaseEvent(DeviceEvent event) override;
  FailureOr<double> secondsBetween(DeviceEvent from, DeviceEvent to,
                                   DiagnosticSink &sink) override;
  LogicalResult encodeTensorMap(const TensorMapShape &shape, void *map,
                                DiagnosticSink &sink) override;

private:
  LogicalResult check(VkResult result, const Twine &doing,
                      DiagnosticSink &sink);
  LogicalResult prepareCommands(DiagnosticSink &sink);
  LogicalResult prepareArguments(DiagnosticSink &sink);
  LogicalResult begin(DiagnosticSink &sink);
  void orderAfterAll();
  FailureOr<uint32_t> passArguments(void **arguments, size_t count,
                                    DiagnosticSink &sink);

  OpenVulkan open;
  const VulkanFunctions &vk;
  uint32_t lanes; ///< of the kernels' subgroups; 1: they have none
  SourceSpan where;

  VulkanMemory memory{open};
  std::vector<void *> leaving; ///< released while commands may use them
  VkCommandPool pool = nullptr;
  VkCommandBuffer commands = nullptr;
  VkFence done = nullptr;
  bool isRecording = false;
  RunningKernels running;

  VkDescriptorSetLayout setLayout = nullptr;
  VkPipelineLayout layout = nullptr;
  VkDescriptorSet set = nullptr;
  std::byte *arguments = nullptr;  ///< of all launches that are recorded
  VkDeviceSize argumentsStart = 0; ///< in their buffer
  size_t argumentsUsed = 0;

  VkQueryPool clock = nullptr;
  std::vector<uint32_t> freeQueries;
};
} // namespace

/// Of one list of commands: when there are more, it is submitted before.
static constexpr size_t argumentBytes = 1 << 20;
/// What one launch may take of them, and how each lies there: the largest
/// alignment of offsets that Vulkan allows devices to ask for.
static constexpr size_t argumentsOfLaunch = 4096, argumentAlignment = 256;
static constexpr uint32_t eventCount = 64;

/// Memory is given back by itself; the rest goes with the process, as drivers
/// do (DriverLibrary.h).
VulkanDevice::~VulkanDevice() {
  if (isRecording)
    (void)vk.EndCommandBuffer(commands);
}

static DiagKind kindOf(VkResult error) {
  switch (error) {
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
  case VK_ERROR_OUT_OF_HOST_MEMORY:
    return DiagKind::BackendDeviceMemory;
  default:
    return DiagKind::BackendDeviceFault;
  }
}

LogicalResult VulkanDevice::check(VkResult result, const Twine &doing,
                                  DiagnosticSink &sink) {
  if (result == VK_SUCCESS)
    return success();
  return sink.error(kindOf(result), where,
                    doing + running.takeSuspects() + " fails on " +
                        open.description + ": " + vulkanErrorName(result));
}

//===----------------------------------------------------------------------===//
// What all launches share
//===----------------------------------------------------------------------===//

LogicalResult VulkanDevice::prepareCommands(DiagnosticSink &sink) {
  auto poolInfo = infoOf<VkCommandPoolCreateInfo>(
      VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  poolInfo.queueFamilyIndex = open.queueFamily;
  auto fenceInfo =
      infoOf<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  auto clockInfo =
      infoOf<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  clockInfo.queryType = VK_QUERY_TYPE_TIMESTAMP;
  clockInfo.queryCount = eventCount;
  for (uint32_t i = 0; i < eventCount; ++i)
    freeQueries.push_back(i);
  VkResult result =
      vk.CreateCommandPool(open.device, &poolInfo, nullptr, &pool);
  if (result == VK_SUCCESS)
    result = vk.CreateFence(open.device, &fenceInfo, nullptr, &done);
  if (result == VK_SUCCESS)
    result = vk.CreateQueryPool(open.device, &clockInfo, nullptr, &clock);
  if (result == VK_SUCCESS) {
    auto info = infoOf<VkCommandBufferAllocateInfo>(
        VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    info.commandPool = pool;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    result = vk.AllocateCommandBuffers(open.device, &info, &commands);
  }
  return check(result, "making a list of commands", sink);
}

/// One buffer at one binding: each launch has a part of it.
LogicalResult VulkanDevice::prepareArguments(DiagnosticSink &sink) {
  VkDescriptorSetLayoutBinding binding = {};
  binding.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
  binding.descriptorCount = 1;
  binding.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  auto setInfo = infoOf<VkDescriptorSetLayoutCreateInfo>(
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  setInfo.bindingCount = 1;
  setInfo.pBindings = &binding;
  VkResult result =
      vk.CreateDescriptorSetLayout(open.device, &setInfo, nullptr, &setLayout);
  auto layoutInfo = infoOf<VkPipelineLayoutCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layoutInfo.setLayoutCount = 1;
  layoutInfo.pSetLayouts = &setLayout;
  if (result == VK_SUCCESS)
    result =
        vk.CreatePipelineLayout(open.device, &layoutInfo, nullptr, &layout);
  VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1};
  auto poolInfo = infoOf<VkDescriptorPoolCreateInfo>(
      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  poolInfo.maxSets = 1;
  poolInfo.poolSizeCount = 1;
  poolInfo.pPoolSizes = &size;
  VkDescriptorPool sets = nullptr;
  if (result == VK_SUCCESS)
    result = vk.CreateDescriptorPool(open.device, &poolInfo, nullptr, &sets);
  auto allocateInfo = infoOf<VkDescriptorSetAllocateInfo>(
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  allocateInfo.descriptorPool = sets;
  allocateInfo.descriptorSetCount = 1;
  allocateInfo.pSetLayouts = &setLayout;
  if (result == VK_SUCCESS)
    result = vk.AllocateDescriptorSets(open.device, &allocateInfo, &set);
  return check(result, "making room for arguments", sink);
}

LogicalResult VulkanDevice::prepare(DiagnosticSink &sink) {
  if (failed(prepareCommands(sink)) || failed(prepareArguments(sink)))
    return failure();
  arguments = static_cast<std::byte *>(allocate(argumentBytes, sink));
  if (!arguments)
    return failure();
  auto [buffer, start] = *memory.placeOf(arguments);
  argumentsStart = start;
  VkDescriptorBufferInfo part = {buffer, 0, argumentsOfLaunch};
  auto write =
      infoOf<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = set;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
  write.pBufferInfo = &part;
  vk.UpdateDescriptorSets(open.device, 1, &write, 0, nullptr);
  return success();
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

LogicalResult VulkanDevice::begin(DiagnosticSink &sink) {
  if (isRecording)
    return success();
  auto info = infoOf<VkCommandBufferBeginInfo>(
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  VkResult result = vk.ResetCommandPool(open.device, pool, 0);
  if (result == VK_SUCCESS)
    result = vk.BeginCommandBuffer(commands, &info);
  isRecording = result == VK_SUCCESS;
  return check(result, "recording commands", sink);
}

/// What comes next sees what all before it wrote, and so does the host.
void VulkanDevice::orderAfterAll() {
  auto barrier = infoOf<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask =
      VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask =
      VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
      VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
      VK_ACCESS_HOST_READ_BIT;
  constexpr VkPipelineStageFlags work =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  vk.CmdPipelineBarrier(commands, work, work | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                        &barrier, 0, nullptr, 0, nullptr);
}

LogicalResult VulkanDevice::synchronize(DiagnosticSink &sink) {
  if (!isRecording)
    return success();
  isRecording = false;
  auto info = infoOf<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  VkResult result = vk.EndCommandBuffer(commands);
  if (result == VK_SUCCESS)
    result = vk.QueueSubmit(open.queue, 1, &info, done);
  if (result == VK_SUCCESS)
    result = vk.WaitForFences(open.device, 1, &done, VK_TRUE, UINT64_MAX);
  if (result == VK_SUCCESS)
    result = vk.ResetFences(open.device, 1, &done);
  LogicalResult checked = check(result, "work", sink);
  running.clear();
  argumentsUsed = 0;
  for (void *block : std::exchange(leaving, {}))
    release(block);
  return checked;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

FailureOr<DeviceModule> VulkanDevice::load(StringRef image,
                                           DiagnosticSink &sink) {
  auto needs = capabilitiesOf(image);
  if (!needs)
    return sink.error(DiagKind::BackendCompileFailed, where,
                      "the kernels aren't SPIR-V");
  for (uint32_t need : *needs)
    if (!llvm::is_contained(open.capabilities, need))
      return sink.error(DiagKind::BackendDeviceLimit, where,
                        "the kernels can't run on " + open.description +
                            ", which has no '" + capabilityName(need) + "'");
  std::vector<uint32_t> words(image.size() / sizeof(uint32_t));
  std::memcpy(words.data(), image.data(), image.size());
  auto info = infoOf<VkShaderModuleCreateInfo>(
      VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  info.codeSize = image.size();
  info.pCode = words.data();
  auto module = std::make_unique<VulkanModule>();
  if (failed(check(
          vk.CreateShaderModule(open.device, &info, nullptr, &module->shaders),
          "loading the kernels", sink)))
    return failure();
  return static_cast<DeviceModule>(module.release());
}

void VulkanDevice::unload(DeviceModule handle) {
  std::unique_ptr<VulkanModule> module(static_cast<VulkanModule *>(handle));
  for (const auto &[name, kernel] : module->kernels)
    vk.DestroyPipeline(open.device, kernel->pipeline, nullptr);
  vk.DestroyShaderModule(open.device, module->shaders, nullptr);
}

FailureOr<DeviceKernel> VulkanDevice::findKernel(DeviceModule handle,
                                                 StringRef name,
                                                 DiagnosticSink &sink) {
  auto *module = static_cast<VulkanModule *>(handle);
  std::unique_ptr<VulkanKernel> &kernel = module->kernels[name.str()];
  if (kernel)
    return static_cast<DeviceKernel>(kernel.get());
  kernel = std::make_unique<VulkanKernel>();
  // What a kernel uses was checked when it was compiled.
  kernel->facts = {name.str(), open.limits.threads, 0};
  auto asked = infoOf<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
  asked.requiredSubgroupSize = lanes;
  auto info = infoOf<VkComputePipelineCreateInfo>(
      VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.pNext = open.choosesLanes ? &asked : nullptr;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module->shaders;
  info.stage.pName = kernel->facts.name.c_str();
  info.layout = layout;
  if (failed(check(vk.CreateComputePipelines(open.device, nullptr, 1, &info,
                                             nullptr, &kernel->pipeline),
                   "compiling kernel '" + name + "'", sink))) {
    module->kernels.erase(name.str());
    return failure();
  }
  return static_cast<DeviceKernel>(kernel.get());
}

/// Where they lie among all launches' arguments.
FailureOr<uint32_t> VulkanDevice::passArguments(void **values, size_t count,
                                                DiagnosticSink &sink) {
  size_t bytes = count * sizeof(uint64_t);
  if (bytes > argumentsOfLaunch)
    return sink.error(DiagKind::BackendDeviceLimit, where,
                      "a kernel of " + Twine(count) + " arguments; " +
                          Twine(argumentsOfLaunch / sizeof(uint64_t)) +
                          " is possible");
  if (argumentsUsed + argumentsOfLaunch > argumentBytes &&
      failed(synchronize(sink)))
    return failure();
  size_t offset = argumentsUsed;
  for (size_t i = 0; i < count; ++i)
    std::memcpy(arguments + offset + i * sizeof(uint64_t), values[i],
                sizeof(uint64_t));
  argumentsUsed += llvm::alignTo(bytes, argumentAlignment);
  return static_cast<uint32_t>(argumentsStart + offset);
}

LogicalResult VulkanDevice::launch(DeviceKernel handle,
                                   const LaunchShape &shape, void **values,
                                   DiagnosticSink &sink) {
  auto *kernel = static_cast<VulkanKernel *>(handle);
  if (failed(checkLaunch(kernel->facts, shape, open.limits, open.description,
                         where, sink)))
    return failure();
  FailureOr<uint32_t> offset = passArguments(values, shape.argumentCount, sink);
  if (failed(offset) || failed(begin(sink)))
    return failure();
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                     kernel->pipeline);
  vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0,
                           1, &set, 1, &*offset);
  auto [gridX, gridY, gridZ] = shape.grid;
  for (uint64_t x = 0; x < gridX; x += open.dispatch[0])
    vk.CmdDispatchBase(
        commands, static_cast<uint32_t>(x), 0, 0,
        static_cast<uint32_t>(std::min<uint64_t>(gridX - x, open.dispatch[0])),
        static_cast<uint32_t>(gridY), static_cast<uint32_t>(gridZ));
  orderAfterAll();
  running.add(kernel->facts.name);
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *VulkanDevice::allocate(size_t bytes, DiagnosticSink &sink) {
  void *at = nullptr;
  VkResult result = memory.allocate(bytes, at);
  bool isThere = succeeded(
      check(result, "allocating " + Twine(bytes) + " bytes of memory", sink));
  return isThere ? at : nullptr;
}

void VulkanDevice::release(void *at) {
  if (isRecording)
    leaving.push_back(at);
  else
    memory.release(at);
}

LogicalResult VulkanDevice::copy(void *to, const void *from, size_t bytes,
                                 DiagnosticSink &sink) {
  auto target = memory.placeOf(to), source = memory.placeOf(from);
  if (bytes == 0)
    return success();
  if (!target || !source || !isRecording) {
    if (failed(synchronize(sink)))
      return failure();
    std::memmove(to, from, bytes);
    return success();
  }
  VkBufferCopy part = {source->offset, target->offset, bytes};
  vk.CmdCopyBuffer(commands, source->buffer, target->buffer, 1, &part);
  orderAfterAll();
  return success();
}

LogicalResult VulkanDevice::fill(void *to, uint32_t value, unsigned width,
                                 size_t count, DiagnosticSink &sink) {
  if (failed(synchronize(sink)))
    return failure();
  for (size_t i = 0; i < count; ++i)
    std::memcpy(static_cast<std::byte *>(to) + i * width, &value, width);
  return success();
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

FailureOr<DeviceEvent> VulkanDevice::record(DiagnosticSink &sink) {
  if (freeQueries.empty())
    return check(VK_ERROR_TOO_MANY_OBJECTS, "recording an event", sink);
  if (failed(begin(sink)))
    return failure();
  auto event = std::make_unique<VulkanEvent>();
  event->query = freeQueries.back();
  freeQueries.pop_back();
  vk.CmdResetQueryPool(commands, clock, event->query, 1);
  vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, clock,
                       event->query);
  return static_cast<DeviceEvent>(event.release());
}

void VulkanDevice::releaseEvent(DeviceEvent handle) {
  std::unique_ptr<VulkanEvent> event(static_cast<VulkanEvent *>(handle));
  freeQueries.push_back(event->query);
}

FailureOr<double> VulkanDevice::secondsBetween(DeviceEvent from, DeviceEvent to,
                                               DiagnosticSink &sink) {
  if (failed(synchronize(sink)))
    return failure();
  uint64_t ticks[2] = {};
  size_t i = 0;
  for (DeviceEvent handle : {from, to}) {
    VkResult result = vk.GetQueryPoolResults(
        open.device, clock, static_cast<VulkanEvent *>(handle)->query, 1,
        sizeof(uint64_t), &ticks[i++], sizeof(uint64_t),
        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    if (failed(check(result, "timing", sink)))
      return failure();
  }
  return static_cast<double>((ticks[1] - ticks[0]) & open.tickMask) *
         open.tickSeconds;
}

LogicalResult VulkanDevice::encodeTensorMap(const TensorMapShape &, void *,
                                            DiagnosticSink &sink) {
  return sink.error(DiagKind::BackendDriverVersion, where,
                    open.description + " has no tensor maps: NVIDIA's GPUs do");
}

FailureOr<std::unique_ptr<Device>> lh::makeVulkanDevice(OpenVulkan open,
                                                        const Chip &chip,
                                                        const SourceSpan &where,
                                                        DiagnosticSink &sink) {
  auto device =
      std::make_unique<VulkanDevice>(std::move(open), chip.lanes, where);
  if (failed(device->prepare(sink)))
    return failure();
  return std::unique_ptr<Device>(std::move(device));
}
