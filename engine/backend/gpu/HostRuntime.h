// The runtime that MLIR's host code calls: `mgpu*`, on one device.
#ifndef LH_BACKEND_GPU_HOSTRUNTIME_H
#define LH_BACKEND_GPU_HOSTRUNTIME_H

#include "backend/cpu/RuntimeSymbols.h"
#include "backend/gpu/Device.h"

#include <map>

namespace lh {

/// What host code has made on a device: tensor maps by their bytes, so that a
/// repeated call makes none again.
class HostRuntime {
public:
  /// Borrowed.
  explicit HostRuntime(Device &device) : device(device) {}

  /// While it lives, the `mgpu*` functions on this thread work on `runtime` and
  /// report to `sink`. They are C functions without an argument for either,
  /// hence the thread's pointer. One that fails leaves the guarded call
  /// (GuardedCall.h) that it runs in.
  class Scope {
  public:
    Scope(HostRuntime &runtime, DiagnosticSink &sink);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    HostRuntime *outerRuntime;
    DiagnosticSink *outerSink;
  };

  /// The address of an encoded map on the device; null after a diagnostic.
  void *tensorMap(const TensorMapShape &shape, DiagnosticSink &sink);

  Device &device;

private:
  std::map<std::string, void *> tensorMaps;
};

/// Whether a Scope is open on this thread.
bool hasHostRuntime();

/// `mgpuLaunchKernel` and all others but those of cuSPARSE.
std::vector<RuntimeSymbol> hostRuntimeSymbols();

/// void *(const void *bytes, int64_t size): a copy on the device.
inline constexpr const char *deviceConstantName = "lh_device_constant";

} // namespace lh

#endif // LH_BACKEND_GPU_HOSTRUNTIME_H
