// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares a launch's sizes with a device's.
#include "runtime/gpu/DeviceLimits.h"

#include <algorithm>

using namespace lh;

static std::string product(const std::array<uint64_t, 3> &sizes) {
  return std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + " x " +
         std::to_string(sizes[2]);
}

static bool fits(const std::array<uint64_t, 3> &sizes,
                 const std::array<uint64_t, 3> &limits) {
  return std::equal(
      sizes.begin(), sizes.end(), limits.begin(),
      [](uint64_t size, uint64_t limit) { return size <= limit; });
}

/// What is too much, in words; empty: nothing.
static std::string excess(const KernelFacts &kernel, const LaunchShape &shape,
                          const DeviceLimits &limits) {
  uint64_t threads = shape.block[0] * shape.block[1] * shape.block[2];
  if (!fits(shape.block, limits.block) || threads > limits.threads)
    return "a block of " + product(shape.block) + " threads; it has " +
           std::to_string(limits.threads) + " at most";
  if (!fits(shape.grid, limits.grid))
    return "a grid of " + product(shape.grid) + " blocks; it has " +
           product(limits.grid) + " at most";
  if (threads > kernel.mostThreads)
    return "it uses too many registers for blocks of " +
           std::to_string(threads) + " threads; " +
           std::to_string(kernel.mostThreads) + " is possible";
  uint64_t shared = kernel.ownSharedBytes + shape.dynamicSharedBytes;
  if (shared > limits.sharedBytes)
    return std::to_string(shared) + " bytes of shared memory; a block has " +
           std::to_string(limits.sharedBytes);
  return "";
}

LogicalResult lh::checkLaunch(const KernelFacts &kernel,
                              const LaunchShape &shape,
                              const DeviceLimits &limits, StringRef description,
                              const SourceSpan &where, DiagnosticSink &sink) {
  std::string what = excess(kernel, shape, limits);
  if (what.empty())
    return success();
  return sink.error(DiagKind::BackendDeviceLimit, where,
                    "kernel '" + kernel.name + "' can't run on " + description +
                        ": " + what);
}
