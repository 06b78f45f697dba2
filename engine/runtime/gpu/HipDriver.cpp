// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD's HIP runtime without its headers.
#include "runtime/gpu/DriverOpener.h"

#include "llvm/ADT/StringExtras.h"

#include <array>

using namespace lh;

namespace {
/// What CUDA hasn't, or has in another form.
struct Hip : DriverFunctions {
  int (*setDevice)(int);
  int (*properties)(void *, int);
  int (*load)(void **, const void *);
  int (*copy)(void *, const void *, size_t, int, void *);
  const char *(*nameError)(int);
};

constexpr DriverWords hipWords = {"AMD", "AMD's HIP runtime", "hipInit",
                                  "hipGetDeviceCount",
                                  "hipStreamCreateWithFlags"};

/// What every GPU that ROCm knows has; there are no attributes to ask for by a
/// number that all versions of HIP share.
constexpr DeviceLimits amdLimits = {
    {0x7fffffff, 0x7fffffff, 0x7fffffff}, {1024, 1024, 1024}, 1024, 65536};
} // namespace

template <> void VendorOpener<Hip>::bind(DriverLibrary &library) {
  library.bind(own->init, "hipInit");
  library.bind(own->version, "hipRuntimeGetVersion");
  library.bind(own->nameError, "hipGetErrorName");
  library.bind(own->deviceCount, "hipGetDeviceCount");
  library.bind(own->setDevice, "hipSetDevice");
  library.bind(own->deviceName, "hipDeviceGetName");
  library.bindOptional(own->properties, "hipGetDevicePropertiesR0600");
  if (!own->properties) // before HIP 6
    library.bindOptional(own->properties, "hipGetDeviceProperties");
  library.bind(own->load, "hipModuleLoadData");
  library.bind(own->unload, "hipModuleUnload");
  library.bind(own->find, "hipModuleGetFunction");
  library.bind(own->functionAttribute, "hipFuncGetAttribute");
  library.bind(own->launch, "hipModuleLaunchKernel");
  library.bind(own->createStream, "hipStreamCreateWithFlags");
  library.bind(own->synchronize, "hipStreamSynchronize");
  library.bind(own->allocate, "hipMallocManaged");
  library.bind(own->release, "hipFree");
  library.bind(own->copy, "hipMemcpyAsync");
  library.bindOptional(own->prefetch, "hipMemPrefetchAsync");
  library.bind(own->fill8, "hipMemsetD8Async");
  library.bind(own->fill16, "hipMemsetD16Async");
  library.bind(own->fill32, "hipMemsetD32Async");
  library.bind(own->createEvent, "hipEventCreateWithFlags");
  library.bind(own->releaseEvent, "hipEventDestroy");
  library.bind(own->recordEvent, "hipEventRecord");
  library.bind(own->waitForEvent, "hipEventSynchronize");
  library.bind(own->elapsed, "hipEventElapsedTime");
  own->errorName = own->nameError;
}

// Code objects of ABI 5 (docs/targets.md) came with ROCm 5.3.
int lh::leastHipDriver() { return 50300000; }

template <> LogicalResult VendorOpener<Hip>::checkVersion() {
  int number = 0;
  if (failed(check(own->version(&number), "hipRuntimeGetVersion")))
    return failure();
  std::string version = std::to_string(number / 10000000) + "." +
                        std::to_string(number / 100000 % 100);
  versionText = "HIP " + version;
  if (number >= leastHipDriver())
    return success();
  return fail(DiagKind::BackendDriverVersion,
              "AMD's HIP runtime is " + version +
                  ", its code objects need 5.3 or later");
}

/// "gfx942", out of hipDeviceProp_t's "gfx942:sramecc+:xnack-"; "" where HIP
/// doesn't say. The member's place differs between HIP's versions; nothing else
/// behind the device's name begins like it.
static std::string chipOf(const Hip &hip, int device) {
  std::array<char, 16384> properties = {}; // no version has that many
  constexpr size_t nameBytes = 256;
  if (!hip.properties || hip.properties(properties.data(), device))
    return "";
  StringRef rest(properties.data() + nameBytes, properties.size() - nameBytes);
  size_t place = rest.find("gfx");
  if (place == StringRef::npos)
    return "";
  return rest.drop_front(place)
      .take_while([](char c) { return llvm::isAlnum(c); })
      .str();
}

/// A device that doesn't say what it is may run the chip's code.
template <>
FailureOr<bool> VendorOpener<Hip>::tryDevice(int index, std::string &kind) {
  own->number = index;
  kind = chipOf(*own, index);
  return kind.empty() || kind == chip.name;
}

template <> LogicalResult VendorOpener<Hip>::openDevice() {
  api.limits = amdLimits;
  return check(own->setDevice(own->number), "hipSetDevice");
}

template <> void VendorOpener<Hip>::fillIn() {
  auto own = this->own;
  api.load = own->load;
  api.launch = [own](void *kernel, const LaunchShape &shape, void **arguments) {
    return launchPlainly(*own, kernel, shape, arguments);
  };
  api.copy = [own](void *to, const void *from, size_t bytes) {
    constexpr int asAddressesSay = 4;
    int error = own->copy(to, from, bytes, asAddressesSay, own->stream);
    if (!error)
      fetchAhead(*own, to, bytes);
    return error;
  };
}

FailureOr<DriverApi> lh::openHipDriver(const Chip &chip, StringRef library,
                                       const SourceSpan &where,
                                       DiagnosticSink &sink) {
  VendorOpener<Hip> opener(chip, where, sink, hipWords);
  if (!library.empty())
    return opener.open(library.str());
  return opener.open(
      {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"});
}
