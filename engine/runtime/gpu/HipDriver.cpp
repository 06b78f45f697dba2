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
constexpr DriverApi::Limits amdLimits = {
    {0x7fffffff, 0x7fffffff, 0x7fffffff}, {1024, 1024, 1024}, 1024, 65536};

class HipOpener : public DriverOpener {
public:
  HipOpener(const Chip &chip, const SourceSpan &where, DiagnosticSink &sink,
            std::shared_ptr<Hip> own)
      : DriverOpener(chip, where, sink, own, hipWords), hip(std::move(own)) {}

private:
  void bind(DriverLibrary &library) override;
  LogicalResult checkVersion() override;
  FailureOr<bool> tryDevice(int index, std::string &kind) override;
  LogicalResult openDevice() override;
  void fillIn() override;
  std::string chipOf(int device) const;

  std::shared_ptr<Hip> hip;
};
} // namespace

void HipOpener::bind(DriverLibrary &library) {
  library.bind(hip->init, "hipInit");
  library.bind(hip->version, "hipRuntimeGetVersion");
  library.bind(hip->nameError, "hipGetErrorName");
  library.bind(hip->deviceCount, "hipGetDeviceCount");
  library.bind(hip->setDevice, "hipSetDevice");
  library.bind(hip->deviceName, "hipDeviceGetName");
  library.bindOptional(hip->properties, "hipGetDevicePropertiesR0600");
  if (!hip->properties) // before HIP 6
    library.bindOptional(hip->properties, "hipGetDeviceProperties");
  library.bind(hip->load, "hipModuleLoadData");
  library.bind(hip->unload, "hipModuleUnload");
  library.bind(hip->find, "hipModuleGetFunction");
  library.bind(hip->functionAttribute, "hipFuncGetAttribute");
  library.bind(hip->launch, "hipModuleLaunchKernel");
  library.bind(hip->createStream, "hipStreamCreateWithFlags");
  library.bind(hip->synchronize, "hipStreamSynchronize");
  library.bind(hip->allocate, "hipMallocManaged");
  library.bind(hip->release, "hipFree");
  library.bind(hip->copy, "hipMemcpyAsync");
  library.bindOptional(hip->prefetch, "hipMemPrefetchAsync");
  library.bind(hip->fill8, "hipMemsetD8Async");
  library.bind(hip->fill16, "hipMemsetD16Async");
  library.bind(hip->fill32, "hipMemsetD32Async");
  library.bind(hip->createEvent, "hipEventCreateWithFlags");
  library.bind(hip->releaseEvent, "hipEventDestroy");
  library.bind(hip->recordEvent, "hipEventRecord");
  library.bind(hip->waitForEvent, "hipEventSynchronize");
  library.bind(hip->elapsed, "hipEventElapsedTime");
  hip->errorName = hip->nameError;
}

LogicalResult HipOpener::checkVersion() {
  // Code objects of ABI 5 (docs/targets.md) came with ROCm 5.3.
  constexpr int firstVersion = 50300000;
  int number = 0;
  if (failed(check(hip->version(&number), "hipRuntimeGetVersion")))
    return failure();
  std::string version = std::to_string(number / 10000000) + "." +
                        std::to_string(number / 100000 % 100);
  versionText = "HIP " + version;
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

/// A device that doesn't say what it is may run the chip's code.
FailureOr<bool> HipOpener::tryDevice(int index, std::string &kind) {
  hip->number = index;
  kind = chipOf(index);
  return kind.empty() || kind == chip.name;
}

LogicalResult HipOpener::openDevice() {
  api.limits = amdLimits;
  return check(hip->setDevice(hip->number), "hipSetDevice");
}

void HipOpener::fillIn() {
  auto own = hip;
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
  HipOpener opener(chip, where, sink, std::make_shared<Hip>());
  if (!library.empty())
    return opener.open(library.str());
  return opener.open(
      {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"});
}
