// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps in which a driver is opened, and what both drivers do alike.
#include "runtime/gpu/DriverOpener.h"

using namespace lh;

LogicalResult DriverOpener::check(int error, StringRef function) {
  if (!error)
    return success();
  const char *name = functions->errorName(error);
  return fail(DiagKind::BackendUnavailable,
              Twine(words.vendor) + "'s driver doesn't work: " + function +
                  ": " + (name ? std::string(name) : std::to_string(error)));
}

LogicalResult DriverOpener::chooseDevice() {
  int count = 0;
  if (failed(check(functions->deviceCount(&count), words.deviceCount)))
    return failure();
  std::string seen;
  for (int i = 0; i < count; ++i) {
    std::string kind;
    FailureOr<bool> fits = tryDevice(i, kind);
    if (failed(fits))
      return failure();
    char name[256] = {};
    functions->deviceName(name, sizeof name - 1, functions->number);
    if (*fits) {
      api.description = std::string(name) + " (" + versionText + ")";
      return success();
    }
    seen += (seen.empty() ? "" : ", ") + std::string(name) + " is " + kind;
  }
  return fail(DiagKind::BackendUnavailable,
              count == 0 ? Twine(words.vendor) + "'s driver has no GPU"
                         : "no GPU runs code for " + chip.name + ": " + seen);
}

static int fillWith(const DriverFunctions &functions, void *to, uint32_t value,
                    unsigned width, size_t count) {
  if (width == 1)
    return functions.fill8(to, static_cast<unsigned char>(value), count,
                           functions.stream);
  if (width == 2)
    return functions.fill16(to, static_cast<unsigned short>(value), count,
                            functions.stream);
  return functions.fill32(to, value, count, functions.stream);
}

int lh::launchPlainly(const DriverFunctions &functions, void *kernel,
                      const LaunchShape &shape, void **arguments) {
  auto size = [](const std::array<uint64_t, 3> &sizes, size_t i) {
    return static_cast<unsigned>(sizes[i]);
  };
  return functions.launch(
      kernel, size(shape.grid, 0), size(shape.grid, 1), size(shape.grid, 2),
      size(shape.block, 0), size(shape.block, 1), size(shape.block, 2),
      shape.dynamicSharedBytes, functions.stream, arguments, nullptr);
}

void lh::fetchAhead(const DriverFunctions &functions, const void *to,
                    size_t bytes) {
  if (functions.prefetch)
    (void)functions.prefetch(to, bytes, functions.number, functions.stream);
}

void DriverOpener::fillInShared() {
  auto own = functions;
  api.name = words.vendor;
  api.errorName = [own](int error) {
    const char *name = own->errorName(error);
    return name ? std::string(name) : "error " + std::to_string(error);
  };
  api.unload = own->unload;
  api.find = own->find;
  api.synchronize = [own] { return own->synchronize(own->stream); };
  api.allocate = [own](void **block, size_t bytes) {
    constexpr unsigned attachGlobal = 1;
    return own->allocate(block, bytes, attachGlobal);
  };
  api.release = own->release;
  api.fill = [own](void *to, uint32_t value, unsigned width, size_t count) {
    return fillWith(*own, to, value, width, count);
  };
  api.createEvent = [own](void **event) { return own->createEvent(event, 0); };
  api.releaseEvent = own->releaseEvent;
  api.recordEvent = [own](void *event) {
    return own->recordEvent(event, own->stream);
  };
  api.waitForEvent = own->waitForEvent;
  api.elapsed = own->elapsed;
  // The numbers of these attributes are the same in both.
  constexpr int mostThreads = 0, sharedBytes = 1;
  api.mostThreads = [own](int *value, void *kernel) {
    return own->functionAttribute(value, mostThreads, kernel);
  };
  api.ownSharedBytes = [own](int *value, void *kernel) {
    return own->functionAttribute(value, sharedBytes, kernel);
  };
}

FailureOr<DriverApi> DriverOpener::open(ArrayRef<std::string> names) {
  DriverLibrary opened(names);
  if (!opened.problem().empty())
    return fail(DiagKind::BackendUnavailable,
                "there is no " + Twine(words.vendor) +
                    " driver: " + opened.problem());
  bind(opened);
  if (!opened.missing().empty())
    return fail(DiagKind::BackendDriverVersion, Twine(words.library) +
                                                    " is too old: it has no " +
                                                    opened.missing());
  constexpr unsigned nonBlocking = 1;
  if (failed(check(functions->init(0), words.init)) || failed(checkVersion()) ||
      failed(chooseDevice()) || failed(openDevice()) ||
      failed(check(functions->createStream(&functions->stream, nonBlocking),
                   words.createStream)))
    return failure();
  fillInShared();
  fillIn();
  return std::move(api);
}
