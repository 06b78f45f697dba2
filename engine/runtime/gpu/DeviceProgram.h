// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host code, its kernels and the device that they are on.
#ifndef LH_RUNTIME_GPU_DEVICEPROGRAM_H
#define LH_RUNTIME_GPU_DEVICEPROGRAM_H

#include "runtime/cpu/Arena.h"
#include "runtime/cpu/CallFrame.h"
#include "runtime/cpu/JitCode.h"
#include "runtime/gpu/DeviceMemory.h"
#include "runtime/gpu/HostRuntime.h"

#include <functional>

namespace lh {

/// Opens the device that a program is for.
using DeviceOpener = std::function<FailureOr<std::unique_ptr<Device>>(
    const SourceSpan &where, DiagnosticSink &sink)>;

/// What was compiled, not loaded yet: loading calls the device.
class DeviceProgram {
public:
  /// `entries`: the packed functions that call() takes by number.
  DeviceProgram(DeviceOpener opener, bool simulated,
                std::vector<std::string> entries, SourceSpan where);
  ~DeviceProgram();

  /// Host code allocates from it; what it allocates, the device reads too.
  Arena &arena() { return blocks; }
  MemorySource &memory() { return source; }
  Device &device() { return *opened; }
  bool isSimulated() const { return simulated; }

  /// While set, what the code and its kernels allocate holds it.
  void setPoison(std::optional<Poison> poison);

  /// The host's object code; before load().
  void setObject(std::string bytes) { object = std::move(bytes); }

  /// Opens the device and loads the code, once.
  LogicalResult load(DiagnosticSink &sink);

  /// Calls an entry so often and waits for the device.
  LogicalResult call(size_t entry, void **arguments, uint64_t count,
                     const SourceSpan &at, DiagnosticSink &sink);
  /// The seconds that so many calls took by the device's clock, from before
  /// the first to behind the last.
  FailureOr<double> time(size_t entry, void **arguments, uint64_t count,
                         const SourceSpan &at, DiagnosticSink &sink);

private:
  LogicalResult run(size_t entry, void **arguments, uint64_t count,
                    const SourceSpan &at, DiagnosticSink &sink);

  DeviceOpener opener;
  bool simulated; ///< what `opener` opens
  std::vector<std::string> entries;
  SourceSpan where;
  std::string object;
  // Each of these refers to those before it.
  std::unique_ptr<Device> opened;
  DeviceMemory source;
  Arena blocks{source};
  std::unique_ptr<HostRuntime> runtime;
  std::unique_ptr<JitCode> code;
};

} // namespace lh

#endif // LH_RUNTIME_GPU_DEVICEPROGRAM_H
