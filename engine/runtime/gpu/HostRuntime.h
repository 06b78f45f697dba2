// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime that MLIR's host code calls: `mgpu*`, on one device.
#ifndef LH_RUNTIME_GPU_HOSTRUNTIME_H
#define LH_RUNTIME_GPU_HOSTRUNTIME_H

#include "runtime/abi/Device.h"
#include "runtime/abi/Poison.h"
#include "runtime/cpu/RuntimeSymbols.h"

#include <map>
#include <optional>

namespace lh {

/// What host code has made on a device: tensor maps by their bytes, so that a
/// repeated call makes none again. Launches and copies are not waited for until
/// the host needs memory that they may be working on (HostWaits.h).
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

  /// The device has something to do from now on.
  void setBusy() { isBusy = true; }
  /// Returns when it has nothing left; at once if it hasn't.
  LogicalResult wait(DiagnosticSink &sink);

  /// While set, memory that host code asks the device for holds it.
  void setPoison(std::optional<Poison> filling) { poison = filling; }
  /// Memory of the device's; null after a diagnostic.
  void *allocate(size_t bytes, DiagnosticSink &sink);

  Device &device;

private:
  std::optional<Poison> poison;
  std::map<std::string, void *> tensorMaps;
  bool isBusy = false;
};

/// Whether a Scope is open on this thread.
bool hasHostRuntime();

/// As `lh_device_wait`, for the engine's functions that host code calls.
void waitForDevice();

/// `mgpuLaunchKernel` and all others but those of cuSPARSE. Built libraries have
/// functions of the same names (deploy/gpucalls.c).
std::vector<RuntimeSymbol> hostRuntimeSymbols();

/// void *(const void *bytes, int64_t size): a copy on the device.
inline constexpr const char *deviceConstantName = "lh_device_constant";
/// uint64_t (uint64_t address): what kernels call that address (Device.h).
inline constexpr const char *deviceAddressName = "lh_device_address";
/// void (): returns when the device has nothing left to do.
inline constexpr const char *deviceWaitName = "lh_device_wait";

} // namespace lh

#endif // LH_RUNTIME_GPU_HOSTRUNTIME_H
