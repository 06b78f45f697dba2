// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD's HIP runtime without its headers.
#include "runtime/gpu/DriverApi.h"
#include "runtime/gpu/DriverLibrary.h"

#include "llvm/ADT/StringExtras.h"

#include <array>
#include <memory>

using namespace lh;

namespace {
/// HIP's functions under their names in the library.
struct Hip {
  int (*init)(unsigned);
  int (*version)(int *);
  const char *(*errorName)(int);
  int (*deviceCount)(int *);
  int (*setDevice)(int);
  int (*deviceName)(char *, int, int);
  int (*properties)(void *, int);
  int (*load)(void **, const void *);
  int (*unload)(void *);
  int (*find)(void **, void *, const char *);
  int (*functionAttribute)(int *, int, void *);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned, unsigned, void *, void **, void **);
  int (*createStream)(void **, unsigned);
  int (*synchronize)(void *);
  int (*allocate)(void **, size_t, unsigned);
  int (*release)(void *);
  int (*copy)(void *, const void *, size_t, int, void *);
  int (*prefetch)(const void *, size_t, int, void *);
  int (*fill8)(void *, unsigned char, size_t, void *);
  int (*fill16)(void *, unsigned short, size_t, void *);
  int (*fill32)(void *, int, size_t, void *);
  int (*createEvent)(void **, unsigned);
  int (*releaseEvent)(void *);
  int (*recordEvent)(void *, void *);
  int (*waitForEvent)(void *);
  int (*elapsed)(float *, void *, void *);

  void *stream = nullptr;
  int number = 0; ///< the device's
};

enum HipFunctionAttribute { functionMostThreads = 0, functionShared = 1 };

/// What every GPU that ROCm knows has; there are no attributes to ask for by a
/// number that all versions of HIP share.
constexpr DriverApi::Limits amdLimits = {
    {0x7fffffff, 0x7fffffff, 0x7fffffff}, {1024, 1024, 1024}, 1024, 65536};
} // namespace

static void bind(Hip &hip, DriverLibrary &library) {
  library.bind(hip.init, "hipInit");
  library.bind(hip.version, "hipRuntimeGetVersion");
  library.bind(hip.errorName, "hipGetErrorName");
  library.bind(hip.deviceCount, "hipGetDeviceCount");
  library.bind(hip.setDevice, "hipSetDevice");
  library.bind(hip.deviceName, "hipDeviceGetName");
  library.bindOptional(hip.properties, "hipGetDevicePropertiesR0600");
  if (!hip.properties) // before HIP 6
    library.bindOptional(hip.properties, "hipGetDeviceProperties");
  library.bind(hip.load, "hipModuleLoadData");
  library.bind(hip.unload, "hipModuleUnload");
  library.bind(hip.find, "hipModuleGetFunction");
  library.bind(hip.functionAttribute, "hipFuncGetAttribute");
  library.bind(hip.launch, "hipModuleLaunchKernel");
  library.bind(hip.createStream, "hipStreamCreateWithFlags");
  library.bind(hip.synchronize, "hipStreamSynchronize");
  library.bind(hip.allocate, "hipMallocManaged");
  library.bind(hip.release, "hipFree");
  library.bind(hip.copy, "hipMemcpyAsync");
  library.bindOptional(hip.prefetch, "hipMemPrefetchAsync");
  library.bind(hip.fill8, "hipMemsetD8Async");
  library.bind(hip.fill16, "hipMemsetD16Async");
  library.bind(hip.fill32, "hipMemsetD32Async");
  library.bind(hip.createEvent, "hipEventCreateWithFlags");
  library.bind(hip.releaseEvent, "hipEventDestroy");
  library.bind(hip.recordEvent, "hipEventRecord");
  library.bind(hip.waitForEvent, "hipEventSynchronize");
  library.bind(hip.elapsed, "hipEventElapsedTime");
}

namespace {
/// Opens one driver. Everything is borrowed.
class HipOpener {
public:
  HipOpener(const Chip &chip, const SourceSpan &where, DiagnosticSink &sink)
      : chip(chip), where(where), sink(sink), hip(std::make_shared<Hip>()) {}

  FailureOr<DriverApi> open(StringRef library);

private:
  LogicalResult fail(DiagKind kind, const Twine &what) {
    return sink.error(kind, where, what);
  }
  LogicalResult check(int error, StringRef function);
  LogicalResult checkVersion();
  LogicalResult chooseDevice();
  LogicalResult openDevice();
  std::string chipOf(int device) const;
  void fillIn();
  void fillInMemory();

  const Chip &chip;
  const SourceSpan &where;
  DiagnosticSink &sink;
  std::shared_ptr<Hip> hip; // the functions of `api` share it
  DriverApi api;
  std::string version;
};
} // namespace

LogicalResult HipOpener::check(int error, StringRef function) {
  if (!error)
    return success();
  const char *name = hip->errorName(error);
  return fail(DiagKind::BackendUnavailable,
              "AMD's driver doesn't work: " + function + ": " +
                  (name ? std::string(name) : std::to_string(error)));
}

LogicalResult HipOpener::checkVersion() {
  // Code objects of ABI 5 (docs/targets.md) came with ROCm 5.3.
  constexpr int firstVersion = 50300000;
  int number = 0;
  if (failed(check(hip->version(&number), "hipRuntimeGetVersion")))
    return failure();
  version = std::to_string(number / 10000000) + "." +
            std::to_string(number / 100000 % 100);
  if (number >= firstVersion)
    return success();
  return fail(DiagKind::BackendDriverVersion,
              "AMD's HIP runtime is " + version +
                  ", its code objects need 5.3 or later");
}

/// "gfx942", out of hipDeviceProp_t's "gfx942:sramecc+:xnack-"; "" where HIP
/// doesn't say. The member's place differs between HIP's versions; nothing else
/// behind the device's name begins like it.
std::string HipOpener::chipOf(int device) const {
  std::array<char, 16384> properties = {}; // no version has that many
  constexpr size_t nameBytes = 256;
  if (!hip->properties || hip->properties(properties.data(), device))
    return "";
  StringRef rest(properties.data() + nameBytes, properties.size() - nameBytes);
  size_t place = rest.find("gfx");
  if (place == StringRef::npos)
    return "";
  return rest.drop_front(place)
      .take_while([](char c) { return llvm::isAlnum(c); })
      .str();
}

/// The first that runs the chip's code; one that doesn't say what it is may.
LogicalResult HipOpener::chooseDevice() {
  int count = 0;
  if (failed(check(hip->deviceCount(&count), "hipGetDeviceCount")))
    return failure();
  std::string seen;
  for (int i = 0; i < count; ++i) {
    char name[256] = {};
    hip->deviceName(name, sizeof name - 1, i);
    std::string found = chipOf(i);
    if (found.empty() || found == chip.name) {
      hip->number = i;
      api.description = std::string(name) + " (HIP " + version + ")";
      return success();
    }
    seen += (seen.empty() ? "" : ", ") + std::string(name) + " is " + found;
  }
  return fail(DiagKind::BackendUnavailable,
              count == 0 ? Twine("AMD's driver has no GPU")
                         : "no GPU runs code for " + chip.name + ": " + seen);
}

LogicalResult HipOpener::openDevice() {
  constexpr unsigned nonBlocking = 1;
  if (failed(check(hip->setDevice(hip->number), "hipSetDevice")) ||
      failed(check(hip->createStream(&hip->stream, nonBlocking),
                   "hipStreamCreateWithFlags")))
    return failure();
  return success();
}

void HipOpener::fillInMemory() {
  auto own = hip;
  api.allocate = [own](void **block, size_t bytes) {
    constexpr unsigned attachGlobal = 1;
    return own->allocate(block, bytes, attachGlobal);
  };
  api.release = own->release;
  api.copy = [own](void *to, const void *from, size_t bytes) {
    constexpr int asAddressesSay = 4;
    int error = own->copy(to, from, bytes, asAddressesSay, own->stream);
    // A hint: pages that stay with the host come when a kernel reads them.
    if (!error && own->prefetch)
      (void)own->prefetch(to, bytes, own->number, own->stream);
    return error;
  };
  api.fill = [own](void *to, uint32_t value, unsigned width, size_t count) {
    if (width == 1)
      return own->fill8(to, static_cast<unsigned char>(value), count,
                        own->stream);
    if (width == 2)
      return own->fill16(to, static_cast<unsigned short>(value), count,
                         own->stream);
    return own->fill32(to, static_cast<int>(value), count, own->stream);
  };
}

void HipOpener::fillIn() {
  auto own = hip;
  api.name = "AMD";
  api.errorName = [own](int error) {
    const char *name = own->errorName(error);
    return name ? std::string(name) : "error " + std::to_string(error);
  };
  api.load = own->load;
  api.unload = own->unload;
  api.find = own->find;
  api.launch = [own](void *kernel, const LaunchShape &shape, void **arguments) {
    auto size = [](const std::array<uint64_t, 3> &sizes, size_t i) {
      return static_cast<unsigned>(sizes[i]);
    };
    return own->launch(
        kernel, size(shape.grid, 0), size(shape.grid, 1), size(shape.grid, 2),
        size(shape.block, 0), size(shape.block, 1), size(shape.block, 2),
        shape.dynamicSharedBytes, own->stream, arguments, nullptr);
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
  api.limits = amdLimits;
  fillInMemory();
}

FailureOr<DriverApi> HipOpener::open(StringRef library) {
  std::vector<std::string> names{library.str()};
  if (library.empty())
    names = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  DriverLibrary opened(names);
  if (!opened.problem().empty())
    return fail(DiagKind::BackendUnavailable,
                "there is no AMD driver: " + opened.problem());
  bind(*hip, opened);
  if (!opened.missing().empty())
    return fail(DiagKind::BackendDriverVersion,
                "AMD's HIP runtime is too old: it has no " + opened.missing());
  if (failed(check(hip->init(0), "hipInit")) || failed(checkVersion()) ||
      failed(chooseDevice()) || failed(openDevice()))
    return failure();
  fillIn();
  return std::move(api);
}

FailureOr<DriverApi> lh::openHipDriver(const Chip &chip, StringRef library,
                                       const SourceSpan &where,
                                       DiagnosticSink &sink) {
  return HipOpener(chip, where, sink).open(library);
}
