// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What opening CUDA's driver and opening HIP's runtime have in common.
#ifndef LH_RUNTIME_GPU_DRIVEROPENER_H
#define LH_RUNTIME_GPU_DRIVEROPENER_H

#include "runtime/gpu/DriverApi.h"
#include "runtime/gpu/DriverLibrary.h"

#include <memory>

namespace lh {

/// The functions that both libraries have, each under a name of its own.
/// CUdeviceptr is an integer of a pointer's size and passed like one.
struct DriverFunctions {
  int (*init)(unsigned);
  int (*version)(int *);
  int (*deviceCount)(int *);
  int (*deviceName)(char *, int, int);
  int (*unload)(void *);
  int (*find)(void **, void *, const char *);
  int (*functionAttribute)(int *, int, void *);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned, unsigned, void *, void **, void **);
  int (*createStream)(void **, unsigned);
  int (*synchronize)(void *);
  int (*allocate)(void **, size_t, unsigned);
  int (*release)(void *);
  int (*prefetch)(const void *, size_t, int, void *);
  int (*fill8)(void *, unsigned char, size_t, void *);
  int (*fill16)(void *, unsigned short, size_t, void *);
  int (*fill32)(void *, unsigned, size_t, void *);
  int (*createEvent)(void **, unsigned);
  int (*releaseEvent)(void *);
  int (*recordEvent)(void *, void *);
  int (*waitForEvent)(void *);
  int (*elapsed)(float *, void *, void *);
  std::function<const char *(int)> errorName; ///< null for an unknown error

  void *stream = nullptr;
  int number = 0; ///< the device's
};

/// A driver in messages, and what it calls the functions that may fail.
struct DriverWords {
  const char *vendor, *library, *init, *deviceCount, *createStream;
};

/// Launches `kernel` with a block's and a grid's sizes alone.
int launchPlainly(const DriverFunctions &functions, void *kernel,
                  const LaunchShape &shape, void **arguments);

/// Asks for pages that were copied to; those that stay with the host come when
/// a kernel reads them.
void fetchAhead(const DriverFunctions &functions, const void *to, size_t bytes);

/// Opens one driver. Everything is borrowed, but the functions, which those of
/// the result share.
class DriverOpener {
public:
  DriverOpener(const Chip &chip, const SourceSpan &where, DiagnosticSink &sink,
               const DriverWords &words,
               std::shared_ptr<DriverFunctions> functions)
      : chip(chip), functions(std::move(functions)), where(where), sink(sink),
        words(words) {}
  virtual ~DriverOpener() = default;

  /// Opens the first of the libraries `names` that there is.
  FailureOr<DriverApi> open(ArrayRef<std::string> names);

protected:
  virtual void bind(DriverLibrary &library) = 0;
  /// Sets `versionText` as well.
  virtual LogicalResult checkVersion() = 0;
  /// Takes the device at `index`; whether it runs the chip's code, else `kind`
  /// says what it is.
  virtual FailureOr<bool> tryDevice(int index, std::string &kind) = 0;
  /// Makes the device the thread's.
  virtual LogicalResult openDevice() = 0;
  /// Sets what the functions above don't give.
  virtual void fillIn() = 0;

  LogicalResult fail(DiagKind kind, const Twine &what) {
    return sink.error(kind, where, what);
  }
  LogicalResult check(int error, StringRef function);

  const Chip &chip;
  DriverApi api;
  std::shared_ptr<DriverFunctions> functions;
  std::string versionText; ///< "driver 13.0"

private:
  LogicalResult chooseDevice();
  void fillInShared();

  const SourceSpan &where;
  DiagnosticSink &sink;
  const DriverWords &words;
};

/// Opens the driver that `Functions` are of, whose file defines the members.
template <typename Functions> class VendorOpener final : public DriverOpener {
public:
  VendorOpener(const Chip &chip, const SourceSpan &where, DiagnosticSink &sink,
               const DriverWords &words)
      : DriverOpener(chip, where, sink, words, std::make_shared<Functions>()) {}

private:
  void bind(DriverLibrary &library) override;
  LogicalResult checkVersion() override;
  FailureOr<bool> tryDevice(int index, std::string &kind) override;
  LogicalResult openDevice() override;
  void fillIn() override;

  std::shared_ptr<Functions> own =
      std::static_pointer_cast<Functions>(functions);
};

} // namespace lh

#endif // LH_RUNTIME_GPU_DRIVEROPENER_H
