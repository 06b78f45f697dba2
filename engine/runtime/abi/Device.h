// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU as generated host code sees it: a vendor's driver, or a simulation.
#ifndef LH_RUNTIME_ABI_DEVICE_H
#define LH_RUNTIME_ABI_DEVICE_H

#include "core/support/Diagnostic.h"
#include "runtime/abi/Poison.h"

#include <array>
#include <string>
#include <vector>

namespace lh {

/// One launch of a kernel: sizes in blocks and in threads, x first.
struct LaunchShape {
  std::array<uint64_t, 3> grid = {1, 1, 1};
  std::array<uint64_t, 3> cluster = {1, 1, 1}; ///< in blocks; sm_90 and later
  std::array<uint64_t, 3> block = {1, 1, 1};
  uint32_t dynamicSharedBytes = 0;
  size_t argumentCount = 0; ///< of the kernel's; 0 where nobody said
};

/// A tiled view of global memory for the tensor memory accelerator, in the
/// words of cuTensorMapEncodeTiled. Sizes are innermost first.
struct TensorMapShape {
  void *address = nullptr;
  uint32_t dataType = 0; ///< CUtensorMapDataType
  std::vector<uint64_t> sizes;
  std::vector<uint64_t> strides; ///< in bytes, without the innermost
  std::vector<uint32_t> box;
  uint32_t interleave = 0, swizzle = 0, promotion = 0, fill = 0;
};

/// Bytes of an encoded tensor map (CUtensorMap), aligned to 64.
inline constexpr size_t tensorMapBytes = 128;

/// What an image was loaded into, and a kernel in it: the device's own.
using DeviceModule = void *;
using DeviceKernel = void *;
using DeviceEvent = void *;

/// One device with one stream: launches and copies happen in order, and
/// complete at the latest in synchronize(). What fails has been reported to
/// the sink, located at the span the device was opened with. Its memory can be
/// read and written by the host between synchronize() and the next launch.
class Device {
public:
  virtual ~Device() = default;

  /// For people: "simulated sm_90", "NVIDIA H200 (driver 13.0)".
  virtual std::string description() const = 0;
  /// Results are labelled by it, everywhere.
  virtual bool isSimulated() const = 0;
  /// In which order a simulation runs threads from now on: 0 as they are
  /// numbered, 1 backwards, else drawn from the seed. No result may depend on
  /// it. A real device has its own order.
  virtual void setSchedule(uint64_t) {}
  /// What the shared memory of kernels launched from now on holds at first, in
  /// a simulation. A real device's can't be reached.
  virtual void setPoison(Poison) {}

  /// Loads what the compiler made for this device: LLVM bitcode for a
  /// simulated one, else PTX, a cubin, a fatbin, an HSACO or SPIR-V.
  virtual FailureOr<DeviceModule> load(StringRef image,
                                       DiagnosticSink &sink) = 0;
  virtual void unload(DeviceModule module) = 0;
  virtual FailureOr<DeviceKernel>
  findKernel(DeviceModule module, StringRef name, DiagnosticSink &sink) = 0;

  /// `arguments[i]` points to the i-th argument's value. Refuses what the
  /// device can't hold (threads, shared bytes) before it launches.
  virtual LogicalResult launch(DeviceKernel kernel, const LaunchShape &shape,
                               void **arguments, DiagnosticSink &sink) = 0;
  /// Waits; a fault of an earlier launch is reported here, by kernel.
  virtual LogicalResult synchronize(DiagnosticSink &sink) = 0;

  /// Aligned to 256 bytes. Null, with a diagnostic, when there is no room.
  virtual void *allocate(size_t bytes, DiagnosticSink &sink) = 0;
  virtual void release(void *block) = 0;
  /// What kernels call an address in its memory, where that is another; 0 for
  /// memory that isn't the device's.
  virtual uint64_t addressOf(const void *memory) const {
    return reinterpret_cast<uintptr_t>(memory);
  }
  /// Of the allocation that `part` is in, kernels may use these bytes alone
  /// from now on: a simulation refuses the others.
  virtual void confine(void * /*part*/, size_t /*bytes*/) {}
  virtual LogicalResult copy(void *to, const void *from, size_t bytes,
                             DiagnosticSink &sink) = 0;
  /// `count` numbers of `width` bytes (1, 2 or 4) set to `value`.
  virtual LogicalResult fill(void *to, uint32_t value, unsigned width,
                             size_t count, DiagnosticSink &sink) = 0;

  virtual FailureOr<DeviceEvent> record(DiagnosticSink &sink) = 0;
  virtual void releaseEvent(DeviceEvent event) = 0;
  /// Seconds between two recorded events, the later one waited for.
  virtual FailureOr<double> secondsBetween(DeviceEvent from, DeviceEvent to,
                                           DiagnosticSink &sink) = 0;

  /// Writes `tensorMapBytes` bytes to `map`.
  virtual LogicalResult encodeTensorMap(const TensorMapShape &shape, void *map,
                                        DiagnosticSink &sink) = 0;
};

} // namespace lh

#endif // LH_RUNTIME_ABI_DEVICE_H
