// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's driver without its headers: the ABI of libcuda.so.1 is stable.
#include "runtime/gpu/DriverApi.h"
#include "runtime/gpu/DriverLibrary.h"

#include <memory>

using namespace lh;

namespace {
using Pointer = unsigned long long; // CUdeviceptr

/// CUDA's functions under their names in the library.
struct Cuda {
  int (*init)(unsigned);
  int (*version)(int *);
  int (*errorName)(int, const char **);
  int (*deviceCount)(int *);
  int (*device)(int *, int);
  int (*deviceName)(char *, int, int);
  int (*attribute)(int *, int, int);
  int (*retainContext)(void **, int);
  int (*setContext)(void *);
  int (*load)(void **, const void *, unsigned, int *, void **);
  int (*unload)(void *);
  int (*find)(void **, void *, const char *);
  int (*functionAttribute)(int *, int, void *);
  int (*setFunctionAttribute)(void *, int, int);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned, unsigned, void *, void **, void **);
  int (*launchEx)(const void *, void *, void **, void **);
  int (*createStream)(void **, unsigned);
  int (*synchronize)(void *);
  int (*allocate)(Pointer *, size_t, unsigned);
  int (*release)(Pointer);
  int (*copy)(Pointer, Pointer, size_t, void *);
  int (*prefetch)(Pointer, size_t, int, void *);
  int (*fill8)(Pointer, unsigned char, size_t, void *);
  int (*fill16)(Pointer, unsigned short, size_t, void *);
  int (*fill32)(Pointer, unsigned, size_t, void *);
  int (*createEvent)(void **, unsigned);
  int (*releaseEvent)(void *);
  int (*recordEvent)(void *, void *);
  int (*waitForEvent)(void *);
  int (*elapsed)(float *, void *, void *);
  int (*encode)(void *, int, uint32_t, void *, const uint64_t *,
                const uint64_t *, const uint32_t *, const uint32_t *, int, int,
                int, int);

  void *stream = nullptr;
  int number = 0; ///< the device's
};

/// CUdevice_attribute and CUfunction_attribute.
enum DeviceAttribute {
  mostThreadsPerBlock = 1,
  mostBlockX = 2,
  mostGridX = 5,
  capabilityMajor = 75,
  capabilityMinor = 76,
  mostSharedOptIn = 97
};
enum CudaFunctionAttribute {
  functionMostThreads = 0,
  functionShared = 1,
  functionMostDynamicShared = 8
};

/// CUlaunchConfig with its only attribute here, the cluster's size.
struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    unsigned sizes[3];
    char bytes[64];
  };
};
struct LaunchConfig {
  unsigned grid[3], block[3], sharedBytes;
  void *stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);
} // namespace

static void bind(Cuda &cuda, DriverLibrary &library) {
  library.bind(cuda.init, "cuInit");
  library.bind(cuda.version, "cuDriverGetVersion");
  library.bind(cuda.errorName, "cuGetErrorName");
  library.bind(cuda.deviceCount, "cuDeviceGetCount");
  library.bind(cuda.device, "cuDeviceGet");
  library.bind(cuda.deviceName, "cuDeviceGetName");
  library.bind(cuda.attribute, "cuDeviceGetAttribute");
  library.bind(cuda.retainContext, "cuDevicePrimaryCtxRetain");
  library.bind(cuda.setContext, "cuCtxSetCurrent");
  library.bind(cuda.load, "cuModuleLoadDataEx");
  library.bind(cuda.unload, "cuModuleUnload");
  library.bind(cuda.find, "cuModuleGetFunction");
  library.bind(cuda.functionAttribute, "cuFuncGetAttribute");
  library.bind(cuda.setFunctionAttribute, "cuFuncSetAttribute");
  library.bind(cuda.launch, "cuLaunchKernel");
  library.bindOptional(cuda.launchEx, "cuLaunchKernelEx");
  library.bind(cuda.createStream, "cuStreamCreate");
  library.bind(cuda.synchronize, "cuStreamSynchronize");
  library.bind(cuda.allocate, "cuMemAllocManaged");
  library.bind(cuda.release, "cuMemFree_v2");
  library.bind(cuda.copy, "cuMemcpyAsync");
  library.bindOptional(cuda.prefetch, "cuMemPrefetchAsync");
  library.bind(cuda.fill8, "cuMemsetD8Async");
  library.bind(cuda.fill16, "cuMemsetD16Async");
  library.bind(cuda.fill32, "cuMemsetD32Async");
  library.bind(cuda.createEvent, "cuEventCreate");
  library.bind(cuda.releaseEvent, "cuEventDestroy_v2");
  library.bind(cuda.recordEvent, "cuEventRecord");
  library.bind(cuda.waitForEvent, "cuEventSynchronize");
  library.bind(cuda.elapsed, "cuEventElapsedTime");
  library.bindOptional(cuda.encode, "cuTensorMapEncodeTiled");
}

/// The CUDA version, as drivers number it, that brought a PTX version.
static int driverOfPtx(unsigned ptx) {
  if (ptx >= 90)
    return 13000 + static_cast<int>(ptx - 90) * 10;
  if (ptx >= 86) // 8.6 came with 12.7
    return 12000 + static_cast<int>(ptx - 79) * 10;
  if (ptx >= 80)
    return 12000 + static_cast<int>(ptx - 80) * 10;
  return ptx >= 70 ? 11000 + static_cast<int>(ptx - 70) * 10 : 10000;
}

static std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

static unsigned ptxOf(const Chip &chip) {
  unsigned version = 0;
  StringRef features = chip.features;
  size_t place = features.find("+ptx");
  if (place != StringRef::npos) {
    StringRef rest = features.drop_front(place + strlen("+ptx"));
    rest = rest.take_while([](char c) { return c >= '0' && c <= '9'; });
    (void)rest.getAsInteger(10, version); // 0 without one
  }
  return version;
}

namespace {
/// Opens one driver. Everything is borrowed.
class CudaOpener {
public:
  CudaOpener(const Chip &chip, const SourceSpan &where, DiagnosticSink &sink)
      : chip(chip), where(where), sink(sink), cuda(std::make_shared<Cuda>()) {}

  FailureOr<DriverApi> open(StringRef library);

private:
  LogicalResult fail(DiagKind kind, const Twine &what) {
    return sink.error(kind, where, what);
  }
  LogicalResult check(int error, StringRef function);
  LogicalResult checkVersion();
  LogicalResult chooseDevice();
  LogicalResult readLimits();
  void fillIn();
  void fillInMemory();
  int attribute(int which) const;

  const Chip &chip;
  const SourceSpan &where;
  DiagnosticSink &sink;
  std::shared_ptr<Cuda> cuda; // the functions of `api` share it
  DriverApi api;
  int version = 0;
};
} // namespace

LogicalResult CudaOpener::check(int error, StringRef function) {
  if (!error)
    return success();
  const char *name = nullptr;
  cuda->errorName(error, &name);
  return fail(DiagKind::BackendUnavailable,
              "NVIDIA's driver doesn't work: " + function + ": " +
                  (name ? std::string(name) : std::to_string(error)));
}

LogicalResult CudaOpener::checkVersion() {
  if (failed(check(cuda->version(&version), "cuDriverGetVersion")))
    return failure();
  unsigned ptx = ptxOf(chip);
  if (version >= driverOfPtx(ptx))
    return success();
  return fail(DiagKind::BackendDriverVersion,
              "NVIDIA's driver is for CUDA " + versionText(version) + ", PTX " +
                  Twine(ptx / 10) + "." + Twine(ptx % 10) + " needs one for " +
                  versionText(driverOfPtx(ptx)) + " or later");
}

int CudaOpener::attribute(int which) const {
  int value = 0;
  return cuda->attribute(&value, which, cuda->number) ? 0 : value;
}

/// The first that runs the chip's code: one as able, or just that one where
/// the code uses what only it has ("sm_90a").
LogicalResult CudaOpener::chooseDevice() {
  int count = 0;
  if (failed(check(cuda->deviceCount(&count), "cuDeviceGetCount")))
    return failure();
  unsigned wanted = computeCapability(chip.name);
  bool exactly = StringRef(chip.name).ends_with("a");
  std::string seen;
  for (int i = 0; i < count; ++i) {
    if (failed(check(cuda->device(&cuda->number, i), "cuDeviceGet")))
      return failure();
    auto capability = static_cast<unsigned>(attribute(capabilityMajor) * 10 +
                                            attribute(capabilityMinor));
    char name[256] = {};
    cuda->deviceName(name, sizeof name - 1, cuda->number);
    if (exactly ? capability == wanted : capability >= wanted) {
      api.description =
          std::string(name) + " (driver " + versionText(version) + ")";
      return success();
    }
    seen += (seen.empty() ? "" : ", ") + std::string(name) + " is sm_" +
            std::to_string(capability);
  }
  return fail(DiagKind::BackendUnavailable,
              count == 0 ? Twine("NVIDIA's driver has no GPU")
                         : "no GPU runs code for " + chip.name + ": " + seen);
}

LogicalResult CudaOpener::readLimits() {
  void *context = nullptr;
  if (failed(check(cuda->retainContext(&context, cuda->number),
                   "cuDevicePrimaryCtxRetain")) ||
      failed(check(cuda->setContext(context), "cuCtxSetCurrent")))
    return failure();
  constexpr unsigned nonBlocking = 1;
  if (failed(check(cuda->createStream(&cuda->stream, nonBlocking),
                   "cuStreamCreate")))
    return failure();
  for (int i = 0; i < 3; ++i) {
    api.limits.grid[size_t(i)] = uint64_t(attribute(mostGridX + i));
    api.limits.block[size_t(i)] = uint64_t(attribute(mostBlockX + i));
  }
  api.limits.threads = uint64_t(attribute(mostThreadsPerBlock));
  api.limits.sharedBytes = uint64_t(attribute(mostSharedOptIn));
  return success();
}

static int launchOn(const Cuda &cuda, void *kernel, const LaunchShape &shape,
                    void **arguments) {
  // Kernels get more than 48 KiB only if they ask.
  constexpr uint32_t mostUnasked = 48 << 10;
  if (shape.dynamicSharedBytes > mostUnasked)
    if (int error = cuda.setFunctionAttribute(
            kernel, functionMostDynamicShared,
            static_cast<int>(shape.dynamicSharedBytes)))
      return error;
  auto size = [](const std::array<uint64_t, 3> &sizes, size_t i) {
    return static_cast<unsigned>(sizes[i]);
  };
  const auto &[grid, cluster, block, shared] = shape;
  if (cluster == std::array<uint64_t, 3>{1, 1, 1})
    return cuda.launch(kernel, size(grid, 0), size(grid, 1), size(grid, 2),
                       size(block, 0), size(block, 1), size(block, 2), shared,
                       cuda.stream, arguments, nullptr);
  constexpr int notSupported = 801, clusterSize = 4;
  if (!cuda.launchEx)
    return notSupported;
  LaunchAttribute attribute = {clusterSize, {}, {}};
  LaunchConfig config = {{}, {}, shared, cuda.stream, &attribute, 1};
  for (size_t i = 0; i < 3; ++i) {
    attribute.sizes[i] = size(cluster, i);
    config.grid[i] = size(grid, i);
    config.block[i] = size(block, i);
  }
  return cuda.launchEx(&config, kernel, arguments, nullptr);
}

static int encodeWith(const Cuda &cuda, const TensorMapShape &shape,
                      void *map) {
  std::vector<uint32_t> steps(shape.sizes.size(), 1);
  return cuda.encode(
      map, static_cast<int>(shape.dataType),
      static_cast<uint32_t>(shape.sizes.size()), shape.address,
      shape.sizes.data(), shape.strides.data(), shape.box.data(), steps.data(),
      static_cast<int>(shape.interleave), static_cast<int>(shape.swizzle),
      static_cast<int>(shape.promotion), static_cast<int>(shape.fill));
}

static Pointer asPointer(const void *address) {
  return reinterpret_cast<Pointer>(address);
}

void CudaOpener::fillInMemory() {
  auto own = cuda;
  api.allocate = [own](void **block, size_t bytes) {
    constexpr unsigned attachGlobal = 1;
    Pointer address = 0;
    int error = own->allocate(&address, bytes, attachGlobal);
    *block = reinterpret_cast<void *>(address);
    return error;
  };
  api.release = [own](void *block) { return own->release(asPointer(block)); };
  api.copy = [own](void *to, const void *from, size_t bytes) {
    int error = own->copy(asPointer(to), asPointer(from), bytes, own->stream);
    // A hint: pages that stay with the host come when a kernel reads them.
    if (!error && own->prefetch)
      (void)own->prefetch(asPointer(to), bytes, own->number, own->stream);
    return error;
  };
  api.fill = [own](void *to, uint32_t value, unsigned width, size_t count) {
    if (width == 1)
      return own->fill8(asPointer(to), static_cast<unsigned char>(value), count,
                        own->stream);
    if (width == 2)
      return own->fill16(asPointer(to), static_cast<unsigned short>(value),
                         count, own->stream);
    return own->fill32(asPointer(to), value, count, own->stream);
  };
}

void CudaOpener::fillIn() {
  auto own = cuda;
  api.name = "NVIDIA";
  api.errorName = [own](int error) {
    const char *name = nullptr;
    own->errorName(error, &name);
    return name ? std::string(name) : "error " + std::to_string(error);
  };
  api.load = [own](void **module, const void *image) {
    return own->load(module, image, 0, nullptr, nullptr);
  };
  api.unload = own->unload;
  api.find = own->find;
  api.launch = [own](void *kernel, const LaunchShape &shape, void **arguments) {
    return launchOn(*own, kernel, shape, arguments);
  };
  api.synchronize = [own] { return own->synchronize(own->stream); };
  api.createEvent = [own](void **event) { return own->createEvent(event, 0); };
  api.releaseEvent = own->releaseEvent;
  api.recordEvent = [own](void *event) {
    return own->recordEvent(event, own->stream);
  };
  api.waitForEvent = own->waitForEvent;
  api.elapsed = own->elapsed;
  api.mostThreads = [own](int *value, void *kernel) {
    return own->functionAttribute(value, functionMostThreads, kernel);
  };
  api.ownSharedBytes = [own](int *value, void *kernel) {
    return own->functionAttribute(value, functionShared, kernel);
  };
  if (own->encode)
    api.encodeTensorMap = [own](const TensorMapShape &shape, void *map) {
      return encodeWith(*own, shape, map);
    };
  fillInMemory();
}

FailureOr<DriverApi> CudaOpener::open(StringRef library) {
  std::string name = library.empty() ? "libcuda.so.1" : library.str();
  DriverLibrary opened(name);
  if (!opened.problem().empty())
    return fail(DiagKind::BackendUnavailable,
                "there is no NVIDIA driver: " + opened.problem());
  bind(*cuda, opened);
  if (!opened.missing().empty())
    return fail(DiagKind::BackendDriverVersion,
                "NVIDIA's driver is too old: it has no " + opened.missing());
  if (failed(check(cuda->init(0), "cuInit")) || failed(checkVersion()) ||
      failed(chooseDevice()) || failed(readLimits()))
    return failure();
  fillIn();
  return std::move(api);
}

FailureOr<DriverApi> lh::openCudaDriver(const Chip &chip, StringRef library,
                                        const SourceSpan &where,
                                        DiagnosticSink &sink) {
  return CudaOpener(chip, where, sink).open(library);
}
