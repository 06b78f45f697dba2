// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C functions over Device. None has anything to destroy when it leaves.
#include "runtime/gpu/HostRuntime.h"

#include "runtime/cpu/GuardedCall.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace lh;

static thread_local HostRuntime *activeRuntime = nullptr;
static thread_local DiagnosticSink *activeSink = nullptr;

HostRuntime::Scope::Scope(HostRuntime &runtime, DiagnosticSink &sink)
    : outerRuntime(activeRuntime), outerSink(activeSink) {
  activeRuntime = &runtime;
  activeSink = &sink;
}

HostRuntime::Scope::~Scope() {
  activeRuntime = outerRuntime;
  activeSink = outerSink;
}

bool lh::hasHostRuntime() { return activeRuntime != nullptr; }

void *HostRuntime::tensorMap(const TensorMapShape &shape,
                             DiagnosticSink &sink) {
  alignas(64) char bytes[tensorMapBytes] = {};
  if (failed(device.encodeTensorMap(shape, bytes, sink)))
    return nullptr;
  // What another device pointer, size or box makes is another map.
  auto [entry, isNew] =
      tensorMaps.try_emplace(std::string(bytes, sizeof bytes), nullptr);
  if (!isNew)
    return entry->second;
  entry->second = device.allocate(sizeof bytes, sink);
  if (!entry->second ||
      failed(device.copy(entry->second, bytes, sizeof bytes, sink)))
    tensorMaps.erase(entry);
  else
    return entry->second;
  return nullptr;
}

void *HostRuntime::allocate(size_t bytes, DiagnosticSink &sink) {
  void *block = device.allocate(bytes, sink);
  if (!block || !poison)
    return block;
  if (failed(wait(sink))) // it may not be written to before
    return nullptr;
  fillWithPoison(static_cast<std::byte *>(block), bytes, *poison);
  return block;
}

LogicalResult HostRuntime::wait(DiagnosticSink &sink) {
  if (!isBusy)
    return success();
  isBusy = false;
  return device.synchronize(sink);
}

static Device &device() { return activeRuntime->device; }

/// The device for something that it does in order, and without the host.
static Device &busyDevice() {
  activeRuntime->setBusy();
  return activeRuntime->device;
}

static void require(LogicalResult result) {
  if (failed(result))
    leaveGuardedCall();
}

/// The handle, or no return. `result` is small: nothing is left undestroyed.
static void *require(FailureOr<void *> result) {
  if (failed(result))
    leaveGuardedCall();
  return *result;
}

static void *requireBlock(void *block) {
  if (!block)
    leaveGuardedCall();
  return block;
}

static void *moduleLoad(const char *image, uint64_t size) {
  return require(device().load(StringRef(image, size), *activeSink));
}

/// PTX as text; this engine's images all come with their size.
static void *moduleLoadJit(const char *image, int32_t) {
  return moduleLoad(image, std::strlen(image));
}

static void moduleUnload(void *module) { device().unload(module); }

static void *moduleGetFunction(void *module, const char *name) {
  return require(device().findKernel(module, name, *activeSink));
}

static void launch(void *kernel, const LaunchShape &shape, void **arguments) {
  // A grid of no blocks is a loop without iterations.
  if (llvm::is_contained(shape.grid, 0U))
    return;
  require(busyDevice().launch(kernel, shape, arguments, *activeSink));
}

static std::array<uint64_t, 3> sizesOf(int64_t x, int64_t y, int64_t z) {
  return {static_cast<uint64_t>(x), static_cast<uint64_t>(y),
          static_cast<uint64_t>(z)};
}

static void launchCluster(void *kernel, int64_t clusterX, int64_t clusterY,
                          int64_t clusterZ, int64_t gridX, int64_t gridY,
                          int64_t gridZ, int64_t blockX, int64_t blockY,
                          int64_t blockZ, int32_t sharedBytes, void *,
                          void **arguments, void **) {
  LaunchShape shape{
      sizesOf(gridX, gridY, gridZ), sizesOf(clusterX, clusterY, clusterZ),
      sizesOf(blockX, blockY, blockZ), static_cast<uint32_t>(sharedBytes)};
  launch(kernel, shape, arguments);
}

static void launchKernel(void *kernel, int64_t gridX, int64_t gridY,
                         int64_t gridZ, int64_t blockX, int64_t blockY,
                         int64_t blockZ, int32_t sharedBytes, void *,
                         void **arguments, void **, uint64_t argumentCount) {
  LaunchShape shape{sizesOf(gridX, gridY, gridZ),
                    {1, 1, 1},
                    sizesOf(blockX, blockY, blockZ),
                    static_cast<uint32_t>(sharedBytes),
                    argumentCount};
  launch(kernel, shape, arguments);
}

void lh::waitForDevice() { require(activeRuntime->wait(*activeSink)); }

// A device has one stream, and work on it is done in order: streams and events
// are names of it. MLIR waits behind each launch; the host's accesses have
// waits of their own.
static void *streamCreate() { return &device(); }
static void streamDestroy(void *) {}
static void streamSynchronize(void *) {}
static void streamWaitEvent(void *, void *) {}
static void *eventCreate() { return &device(); }
static void eventDestroy(void *) {}
static void eventSynchronize(void *) {}
static void eventRecord(void *, void *) {}

static void *memAlloc(uint64_t bytes, void *, bool) {
  return requireBlock(activeRuntime->allocate(bytes, *activeSink));
}
static void memFree(void *block, void *) { device().release(block); }
static void memCopy(void *to, const void *from, uint64_t bytes, void *) {
  require(busyDevice().copy(to, from, bytes, *activeSink));
}
static void memSet32(void *to, uint32_t value, uint64_t count, void *) {
  require(busyDevice().fill(to, value, 4, count, *activeSink));
}
static void memSet16(void *to, uint16_t value, uint64_t count, void *) {
  require(busyDevice().fill(to, value, 2, count, *activeSink));
}

// Buffers come from the device: there is nothing to register.
static void hostRegister(int64_t, void *, int64_t) {}
static void setDefaultDevice(int32_t) {}

static void *deviceConstant(const void *bytes, int64_t size) {
  auto count = static_cast<size_t>(size);
  void *copy = requireBlock(device().allocate(count, *activeSink));
  require(busyDevice().copy(copy, bytes, count, *activeSink));
  return copy;
}

static uint64_t deviceAddress(uint64_t address) {
  return device().addressOf(reinterpret_cast<const void *>(address));
}

/// Bytes of CUtensorMapDataType's elements, in its order.
static uint64_t elementBytes(int64_t dataType) {
  constexpr uint64_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return dataType < static_cast<int64_t>(std::size(bytes)) ? bytes[dataType]
                                                           : 1;
}

/// `descriptor`: allocated, aligned, offset, sizes, strides; outermost first.
static TensorMapShape describeMap(int64_t rank, const int64_t *descriptor,
                                  int64_t dataType, const int64_t *box) {
  TensorMapShape shape;
  uint64_t element = elementBytes(dataType);
  const int64_t *sizes = descriptor + 3, *strides = sizes + rank;
  shape.address = reinterpret_cast<char *>(descriptor[1]) +
                  descriptor[2] * static_cast<int64_t>(element);
  shape.dataType = static_cast<uint32_t>(dataType);
  for (int64_t i = rank; i-- > 0;) {
    shape.sizes.push_back(static_cast<uint64_t>(sizes[i]));
    shape.box.push_back(static_cast<uint32_t>(box[i]));
    if (i + 1 < rank)
      shape.strides.push_back(static_cast<uint64_t>(strides[i]) * element);
  }
  return shape;
}

static void *makeTensorMap(int64_t rank, const int64_t *descriptor,
                           int64_t dataType, int64_t interleave,
                           int64_t swizzle, int64_t promotion, int64_t fill,
                           const int64_t *box) {
  TensorMapShape shape = describeMap(rank, descriptor, dataType, box);
  shape.interleave = static_cast<uint32_t>(interleave);
  shape.swizzle = static_cast<uint32_t>(swizzle);
  shape.promotion = static_cast<uint32_t>(promotion);
  shape.fill = static_cast<uint32_t>(fill);
  return activeRuntime->tensorMap(shape, *activeSink);
}

static void *tensorMapEncode(int64_t rank, const int64_t *descriptor,
                             int64_t dataType, int64_t interleave,
                             int64_t swizzle, int64_t promotion, int64_t fill,
                             const int64_t *box) {
  return requireBlock(makeTensorMap(rank, descriptor, dataType, interleave,
                                    swizzle, promotion, fill, box));
}

template <typename Function>
static RuntimeSymbol symbol(StringRef name, Function *function) {
  return {name, reinterpret_cast<void *>(function)};
}

std::vector<RuntimeSymbol> lh::hostRuntimeSymbols() {
  return {symbol("mgpuModuleLoad", moduleLoad),
          symbol("mgpuModuleLoadJIT", moduleLoadJit),
          symbol("mgpuModuleUnload", moduleUnload),
          symbol("mgpuModuleGetFunction", moduleGetFunction),
          symbol("mgpuLaunchKernel", launchKernel),
          symbol("mgpuLaunchClusterKernel", launchCluster),
          symbol("mgpuStreamCreate", streamCreate),
          symbol("mgpuStreamDestroy", streamDestroy),
          symbol("mgpuStreamSynchronize", streamSynchronize),
          symbol("mgpuStreamWaitEvent", streamWaitEvent),
          symbol("mgpuEventCreate", eventCreate),
          symbol("mgpuEventDestroy", eventDestroy),
          symbol("mgpuEventSynchronize", eventSynchronize),
          symbol("mgpuEventRecord", eventRecord),
          symbol("mgpuMemAlloc", memAlloc),
          symbol("mgpuMemFree", memFree),
          symbol("mgpuMemcpy", memCopy),
          symbol("mgpuMemset32", memSet32),
          symbol("mgpuMemset16", memSet16),
          symbol("mgpuMemHostRegisterMemRef", hostRegister),
          symbol("mgpuMemHostUnregisterMemRef", hostRegister),
          symbol("mgpuSetDefaultDevice", setDefaultDevice),
          symbol("mgpuTensorMapEncodeTiledMemref", tensorMapEncode),
          symbol(deviceConstantName, deviceConstant),
          symbol(deviceAddressName, deviceAddress),
          symbol(deviceWaitName, waitForDevice)};
}
