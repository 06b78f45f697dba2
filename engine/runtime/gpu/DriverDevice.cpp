// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device over a driver: checks limits, names kernels that fault.
#include "runtime/gpu/DriverDevice.h"

#include "runtime/gpu/RunningKernels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>

using namespace lh;

namespace {
class DriverDevice : public Device {
public:
  DriverDevice(DriverApi api, SourceSpan where)
      : api(std::move(api)), where(std::move(where)) {}

  std::string description() const override { return api.description; }
  bool isSimulated() const override { return false; }

  FailureOr<DeviceModule> load(StringRef image, DiagnosticSink &sink) override;
  void unload(DeviceModule module) override { (void)api.unload(module); }
  FailureOr<DeviceKernel> findKernel(DeviceModule module, StringRef name,
                                     DiagnosticSink &sink) override;
  LogicalResult launch(DeviceKernel kernel, const LaunchShape &shape,
                       void **arguments, DiagnosticSink &sink) override;
  LogicalResult synchronize(DiagnosticSink &sink) override;

  void *allocate(size_t bytes, DiagnosticSink &sink) override;
  void release(void *block) override { (void)api.release(block); }
  LogicalResult copy(void *to, const void *from, size_t bytes,
                     DiagnosticSink &sink) override;
  LogicalResult fill(void *to, uint32_t value, unsigned width, size_t count,
                     DiagnosticSink &sink) override;

  FailureOr<DeviceEvent> record(DiagnosticSink &sink) override;
  void releaseEvent(DeviceEvent event) override {
    (void)api.releaseEvent(event);
  }
  FailureOr<double> secondsBetween(DeviceEvent from, DeviceEvent to,
                                   DiagnosticSink &sink) override;
  LogicalResult encodeTensorMap(const TensorMapShape &shape, void *map,
                                DiagnosticSink &sink) override;

private:
  LogicalResult check(int error, const Twine &doing, DiagnosticSink &sink);

  DriverApi api;
  SourceSpan where;
  std::map<DeviceKernel, KernelFacts> kernels;
  RunningKernels running;
};
} // namespace

/// What a driver's error is to the user. The numbers are CUDA's and HIP's.
static DiagKind kindOf(int error) {
  switch (error) {
  case 2: // out of memory
    return DiagKind::BackendDeviceMemory;
  case 35:  // insufficient driver
  case 209: // no binary for GPU
  case 222: // unsupported PTX version
  case 803: // driver mismatch
    return DiagKind::BackendDriverVersion;
  case 200: // invalid image
  case 218: // invalid PTX
    return DiagKind::BackendCompileFailed;
  case 701: // launch out of resources
    return DiagKind::BackendDeviceLimit;
  case 716: // misaligned address
    return DiagKind::BackendMisaligned;
  default:
    return DiagKind::BackendDeviceFault;
  }
}

LogicalResult DriverDevice::check(int error, const Twine &doing,
                                  DiagnosticSink &sink) {
  if (!error)
    return success();
  return sink.error(kindOf(error), where,
                    doing + running.takeSuspects() + " fails on " +
                        api.description + ": " + api.errorName(error));
}

FailureOr<DeviceModule> DriverDevice::load(StringRef image,
                                           DiagnosticSink &sink) {
  void *module = nullptr;
  std::string text = image.str(); // PTX must end with a zero
  if (failed(
          check(api.load(&module, text.c_str()), "loading the kernels", sink)))
    return failure();
  return module;
}

FailureOr<DeviceKernel> DriverDevice::findKernel(DeviceModule module,
                                                 StringRef name,
                                                 DiagnosticSink &sink) {
  void *kernel = nullptr;
  if (failed(check(api.find(&kernel, module, name.str().c_str()),
                   "looking for kernel '" + name + "'", sink)))
    return failure();
  int threads = 0, sharedBytes = 0;
  if (failed(check(api.mostThreads(&threads, kernel), "asking for limits",
                   sink)) ||
      failed(check(api.ownSharedBytes(&sharedBytes, kernel),
                   "asking for limits", sink)))
    return failure();
  kernels[kernel] = {name.str(), static_cast<uint64_t>(threads),
                     static_cast<uint64_t>(sharedBytes)};
  return kernel;
}

LogicalResult DriverDevice::launch(DeviceKernel kernel,
                                   const LaunchShape &shape, void **arguments,
                                   DiagnosticSink &sink) {
  const KernelFacts &facts = kernels[kernel];
  if (failed(checkLaunch(facts, shape, api.limits, api.description, where,
                         sink)) ||
      failed(check(api.launch(kernel, shape, arguments),
                   "launching kernel '" + facts.name + "'", sink)))
    return failure();
  running.add(facts.name);
  return success();
}

LogicalResult DriverDevice::synchronize(DiagnosticSink &sink) {
  LogicalResult result = check(api.synchronize(), "work", sink);
  running.clear();
  return result;
}

void *DriverDevice::allocate(size_t bytes, DiagnosticSink &sink) {
  void *block = nullptr;
  int error = api.allocate(&block, std::max<size_t>(bytes, 1));
  return failed(check(error, "allocating " + Twine(bytes) + " bytes of memory",
                      sink))
             ? nullptr
             : block;
}

LogicalResult DriverDevice::copy(void *to, const void *from, size_t bytes,
                                 DiagnosticSink &sink) {
  return check(api.copy(to, from, bytes), "copying", sink);
}

LogicalResult DriverDevice::fill(void *to, uint32_t value, unsigned width,
                                 size_t count, DiagnosticSink &sink) {
  return check(api.fill(to, value, width, count), "filling memory", sink);
}

FailureOr<DeviceEvent> DriverDevice::record(DiagnosticSink &sink) {
  void *event = nullptr;
  if (failed(check(api.createEvent(&event), "making an event", sink)))
    return failure();
  if (succeeded(check(api.recordEvent(event), "recording an event", sink)))
    return event;
  (void)api.releaseEvent(event);
  return failure();
}

FailureOr<double> DriverDevice::secondsBetween(DeviceEvent from, DeviceEvent to,
                                               DiagnosticSink &sink) {
  float milliseconds = 0;
  if (failed(check(api.waitForEvent(to), "work", sink)) ||
      failed(check(api.elapsed(&milliseconds, from, to), "timing", sink)))
    return failure();
  return static_cast<double>(milliseconds) * 1e-3;
}

LogicalResult DriverDevice::encodeTensorMap(const TensorMapShape &shape,
                                            void *map, DiagnosticSink &sink) {
  if (!api.encodeTensorMap)
    return sink.error(DiagKind::BackendDriverVersion, where,
                      api.description + " has no tensor maps: its driver is "
                                        "older than they are, or it has none");
  return check(api.encodeTensorMap(shape, map), "describing a tensor", sink);
}

std::unique_ptr<Device> lh::makeDriverDevice(DriverApi api, SourceSpan where) {
  return std::make_unique<DriverDevice>(std::move(api), std::move(where));
}
