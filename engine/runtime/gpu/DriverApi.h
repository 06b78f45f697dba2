// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What CUDA's and HIP's drivers have in common, in one form.
#ifndef LH_RUNTIME_GPU_DRIVERAPI_H
#define LH_RUNTIME_GPU_DRIVERAPI_H

#include "runtime/abi/Device.h"
#include "runtime/gpu/Chip.h"
#include "runtime/gpu/DeviceLimits.h"

#include <functional>

namespace lh {

/// A driver's functions, found by name in its library. Each yields 0 or the
/// driver's error; both vendors use CUDA's numbers for those told apart here.
struct DriverApi {
  std::string name;        ///< "NVIDIA", for messages
  std::string description; ///< of the device: "NVIDIA H200 (driver 13.0)"

  std::function<std::string(int)> errorName;
  std::function<int(void **module, const void *image)> load;
  std::function<int(void *)> unload;
  std::function<int(void **kernel, void *module, const char *name)> find;
  std::function<int(void *kernel, const LaunchShape &, void **arguments)>
      launch;
  std::function<int()> synchronize;
  /// Memory that host and device see at one address.
  std::function<int(void **, size_t)> allocate;
  std::function<int(void *)> release;
  std::function<int(void *, const void *, size_t)> copy;
  std::function<int(void *, uint32_t value, unsigned width, size_t count)> fill;
  std::function<int(void **)> createEvent;
  std::function<int(void *)> releaseEvent, recordEvent, waitForEvent;
  std::function<int(float *milliseconds, void *, void *)> elapsed;
  /// May be empty: there are no tensor maps.
  std::function<int(const TensorMapShape &, void *map)> encodeTensorMap;

  /// A kernel's: threads that its registers allow in a block, and bytes of
  /// shared memory that it has for itself.
  std::function<int(int *, void *)> mostThreads, ownSharedBytes;

  DeviceLimits limits;
};

/// Opens `library` (empty: the vendor's names for it, the newest first) and the
/// first device that runs `chip`'s code. Fails with a diagnostic when there is
/// no driver, when it is too old for the code, or when no device fits.
FailureOr<DriverApi> openCudaDriver(const Chip &chip, StringRef library,
                                    const SourceSpan &where,
                                    DiagnosticSink &sink);
FailureOr<DriverApi> openHipDriver(const Chip &chip, StringRef library,
                                   const SourceSpan &where,
                                   DiagnosticSink &sink);

/// The oldest driver that loads `chip`'s code, as its library counts: of CUDA,
/// or of HIP.
int leastCudaDriver(const Chip &chip);
int leastHipDriver();

} // namespace lh

#endif // LH_RUNTIME_GPU_DRIVERAPI_H
