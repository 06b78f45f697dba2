// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs device code, written as LLVM IR, on a simulated device.
#ifndef LH_TESTS_RUNTIME_SIMTESTSUPPORT_H
#define LH_TESTS_RUNTIME_SIMTESTSUPPORT_H

#include "runtime/sim/Numbers.h"
#include "runtime/sim/SimDevice.h"

#include <bit>

namespace lh {

/// "ptx_kernel void @k(<parameters>) { <body> }" with the data layout of
/// NVPTX; `globals` comes before it.
std::string nvptxKernel(StringRef parameters, const Twine &body,
                        StringRef globals = "");
/// The same for AMDGCN.
std::string amdgcnKernel(StringRef parameters, const Twine &body,
                         StringRef globals = "");

/// The same for SPIR-V, in subgroups of `lanes`.
std::string spirvKernel(StringRef parameters, const Twine &body,
                        unsigned lanes, StringRef globals = "");

/// A kernel for NVPTX: %i is the thread's index, %mine its word of the buffer
/// %out.
std::string perThread(const Twine &body, StringRef globals = "");

/// The bits of a small whole number in each type.
inline uint32_t asHalf(int value) {
  return floatToHalf(static_cast<float>(value));
}
inline uint32_t asBFloat(int value) {
  return floatToBFloat(static_cast<float>(value));
}
inline uint32_t asFloat(int value) {
  return std::bit_cast<uint32_t>(static_cast<float>(value));
}
inline uint32_t asByte(int value) { return static_cast<uint8_t>(value); }

/// All threads of a block wait for each other.
inline const std::string barrier =
    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";

/// The bitcode of LLVM IR.
std::string assemble(StringRef text);

/// A device with one module on it, whose kernel is 'k'.
class SimFixture {
public:
  SimFixture(StringRef text, StringRef chip = "sm_90a", uint64_t seed = 0,
             unsigned workers = 1);

  /// "[kind] message" of what went wrong while loading; empty: nothing.
  const std::string &loadProblem() const { return problem; }

  /// Device memory with these numbers.
  template <typename T> T *buffer(const std::vector<T> &values) {
    void *block = allocate(values.size() * sizeof(T));
    std::copy(values.begin(), values.end(), static_cast<T *>(block));
    return static_cast<T *>(block);
  }
  /// `count` zeros.
  template <typename T> T *zeros(size_t count) {
    return buffer(std::vector<T>(count));
  }

  /// Launches 'k' with pointers as arguments: "[kind] message", or empty.
  std::string launch(const LaunchShape &shape, std::vector<void *> pointers);
  std::string launch(unsigned threads, std::vector<void *> pointers);

  Device &device() { return *opened; }

private:
  void *allocate(size_t bytes);

  CollectingSink sink;
  std::unique_ptr<Device> opened;
  DeviceModule module = nullptr;
  std::string problem;
};

/// What the first seed of 0 .. 19 that finds something finds in one block of
/// `threads` threads with one buffer of `words` zeros.
std::string firstFinding(StringRef text, unsigned threads, size_t words,
                         StringRef chip = "sm_90a");

} // namespace lh

#endif // LH_TESTS_RUNTIME_SIMTESTSUPPORT_H
