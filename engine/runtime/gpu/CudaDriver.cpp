// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's driver without its headers: the ABI of libcuda.so.1 is stable.
#include "runtime/gpu/DriverOpener.h"

using namespace lh;

namespace {
/// What HIP hasn't, or has in another form.
struct Cuda : DriverFunctions {
  int (*device)(int *, int);
  int (*attribute)(int *, int, int);
  int (*retainContext)(void **, int);
  int (*setContext)(void *);
  int (*load)(void **, const void *, unsigned, int *, void **);
  int (*setFunctionAttribute)(void *, int, int);
  int (*launchEx)(const void *, void *, void **, void **);
  int (*copy)(void *, const void *, size_t, void *);
  int (*nameError)(int, const char **);
  int (*encode)(void *, int, uint32_t, void *, const uint64_t *,
                const uint64_t *, const uint32_t *, const uint32_t *, int, int,
                int, int);
};

constexpr DriverWords cudaWords = {"NVIDIA", "NVIDIA's driver", "cuInit",
                                   "cuDeviceGetCount", "cuStreamCreate"};

/// CUdevice_attribute and, below, CUfunction_attribute.
enum DeviceAttribute {
  MostThreadsPerBlock = 1,
  MostBlockX = 2,
  MostGridX = 5,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  MostSharedOptIn = 97
};
constexpr int functionMostDynamicShared = 8;

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

static std::string numberText(int version) {
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

int lh::leastCudaDriver(const Chip &chip) { return driverOfPtx(ptxOf(chip)); }

template <> void VendorOpener<Cuda>::bind(DriverLibrary &library) {
  library.bind(own->init, "cuInit");
  library.bind(own->version, "cuDriverGetVersion");
  library.bind(own->nameError, "cuGetErrorName");
  library.bind(own->deviceCount, "cuDeviceGetCount");
  library.bind(own->device, "cuDeviceGet");
  library.bind(own->deviceName, "cuDeviceGetName");
  library.bind(own->attribute, "cuDeviceGetAttribute");
  library.bind(own->retainContext, "cuDevicePrimaryCtxRetain");
  library.bind(own->setContext, "cuCtxSetCurrent");
  library.bind(own->load, "cuModuleLoadDataEx");
  library.bind(own->unload, "cuModuleUnload");
  library.bind(own->find, "cuModuleGetFunction");
  library.bind(own->functionAttribute, "cuFuncGetAttribute");
  library.bind(own->setFunctionAttribute, "cuFuncSetAttribute");
  library.bind(own->launch, "cuLaunchKernel");
  library.bindOptional(own->launchEx, "cuLaunchKernelEx");
  library.bind(own->createStream, "cuStreamCreate");
  library.bind(own->synchronize, "cuStreamSynchronize");
  library.bind(own->allocate, "cuMemAllocManaged");
  library.bind(own->release, "cuMemFree_v2");
  library.bind(own->copy, "cuMemcpyAsync");
  library.bindOptional(own->prefetch, "cuMemPrefetchAsync");
  library.bind(own->fill8, "cuMemsetD8Async");
  library.bind(own->fill16, "cuMemsetD16Async");
  library.bind(own->fill32, "cuMemsetD32Async");
  library.bind(own->createEvent, "cuEventCreate");
  library.bind(own->releaseEvent, "cuEventDestroy_v2");
  library.bind(own->recordEvent, "cuEventRecord");
  library.bind(own->waitForEvent, "cuEventSynchronize");
  library.bind(own->elapsed, "cuEventElapsedTime");
  library.bindOptional(own->encode, "cuTensorMapEncodeTiled");
  own->errorName = [own = own.get()](int error) {
    const char *name = nullptr;
    own->nameError(error, &name);
    return name;
  };
}

template <> LogicalResult VendorOpener<Cuda>::checkVersion() {
  int version = 0;
  if (failed(check(own->version(&version), "cuDriverGetVersion")))
    return failure();
  versionText = "driver " + numberText(version);
  unsigned ptx = ptxOf(chip);
  if (version >= driverOfPtx(ptx))
    return success();
  return fail(DiagKind::BackendDriverVersion,
              "NVIDIA's driver is for CUDA " + numberText(version) + ", PTX " +
                  Twine(ptx / 10) + "." + Twine(ptx % 10) + " needs one for " +
                  numberText(driverOfPtx(ptx)) + " or later");
}

static int attributeOf(const Cuda &cuda, DeviceAttribute which,
                       int offset = 0) {
  int value = 0;
  return cuda.attribute(&value, which + offset, cuda.number) ? 0 : value;
}

/// One as able as the chip will do, or just that one where the code uses what
/// only it has ("sm_90a").
template <>
FailureOr<bool> VendorOpener<Cuda>::tryDevice(int index, std::string &kind) {
  if (failed(check(own->device(&own->number, index), "cuDeviceGet")))
    return failure();
  auto capability =
      static_cast<unsigned>(attributeOf(*own, CapabilityMajor) * 10 +
                            attributeOf(*own, CapabilityMinor));
  kind = "sm_" + std::to_string(capability);
  unsigned wanted = computeCapability(chip.name);
  return StringRef(chip.name).ends_with("a") ? capability == wanted
                                             : capability >= wanted;
}

template <> LogicalResult VendorOpener<Cuda>::openDevice() {
  void *context = nullptr;
  if (failed(check(own->retainContext(&context, own->number),
                   "cuDevicePrimaryCtxRetain")) ||
      failed(check(own->setContext(context), "cuCtxSetCurrent")))
    return failure();
  for (int i = 0; i < 3; ++i) {
    api.limits.grid[size_t(i)] = uint64_t(attributeOf(*own, MostGridX, i));
    api.limits.block[size_t(i)] = uint64_t(attributeOf(*own, MostBlockX, i));
  }
  api.limits.threads = uint64_t(attributeOf(*own, MostThreadsPerBlock));
  api.limits.sharedBytes = uint64_t(attributeOf(*own, MostSharedOptIn));
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
  const auto &[grid, cluster, block, shared, count] = shape;
  if (cluster == std::array<uint64_t, 3>{1, 1, 1})
    return launchPlainly(cuda, kernel, shape, arguments);
  constexpr int notSupported = 801, clusterSize = 4;
  if (!cuda.launchEx)
    return notSupported;
  LaunchAttribute attribute = {clusterSize, {}, {}};
  LaunchConfig config = {.grid = {},
                         .block = {},
                         .sharedBytes = shared,
                         .stream = cuda.stream,
                         .attributes = &attribute,
                         .attributeCount = 1};
  for (size_t i = 0; i < 3; ++i) {
    attribute.sizes[i] = static_cast<unsigned>(cluster[i]);
    config.grid[i] = static_cast<unsigned>(grid[i]);
    config.block[i] = static_cast<unsigned>(block[i]);
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

template <> void VendorOpener<Cuda>::fillIn() {
  auto own = this->own;
  api.load = [own](void **module, const void *image) {
    return own->load(module, image, 0, nullptr, nullptr);
  };
  api.launch = [own](void *kernel, const LaunchShape &shape, void **arguments) {
    return launchOn(*own, kernel, shape, arguments);
  };
  api.copy = [own](void *to, const void *from, size_t bytes) {
    int error = own->copy(to, from, bytes, own->stream);
    if (!error)
      fetchAhead(*own, to, bytes);
    return error;
  };
  if (own->encode)
    api.encodeTensorMap = [own](const TensorMapShape &shape, void *map) {
      return encodeWith(*own, shape, map);
    };
}

FailureOr<DriverApi> lh::openCudaDriver(const Chip &chip, StringRef library,
                                        const SourceSpan &where,
                                        DiagnosticSink &sink) {
  VendorOpener<Cuda> opener(chip, where, sink, cudaWords);
  return opener.open(library.empty() ? "libcuda.so.1" : library.str());
}
