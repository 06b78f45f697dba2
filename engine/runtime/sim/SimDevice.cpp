// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The boundary's functions, on the host.
#include "runtime/sim/SimDevice.h"

#include "runtime/sim/GlobalMemory.h"
#include "runtime/sim/Launcher.h"
#include "runtime/sim/SimModule.h"
#include "runtime/sim/TensorMaps.h"

#include "llvm/ADT/StringExtras.h"

#include <chrono>
#include <thread>

using namespace lh;

/// Addresses that are reserved for allocations.
static constexpr uint64_t memoryBytes = uint64_t(32) << 30;

namespace {
/// A launch that nobody has waited for yet, with its arguments' values.
struct PendingLaunch {
  const SimKernel *kernel = nullptr;
  LaunchShape shape;
  std::vector<std::vector<char>> arguments;
  uint64_t seed = 0;
  Poison poison = Poison::NotANumber;
};

/// Launches are done as late as a real device may: when somebody waits. What
/// the host reads too early has not been written, what it writes too early is
/// read.
class SimDevice : public Device {
public:
  SimDevice(SimChip chip, const SimOptions &options, const SourceSpan &where)
      : chip(std::move(chip)), seed(options.seed), where(where),
        memory(memoryBytes),
        launcher(this->chip, memory,
                 options.workers
                     ? options.workers
                     : std::max(1u, std::thread::hardware_concurrency())) {}

  std::string description() const override { return "simulated " + chip.name; }
  bool isSimulated() const override { return true; }
  void setSchedule(uint64_t newSeed) override { seed = newSeed; }
  void setPoison(Poison filling) override { poison = filling; }

  FailureOr<DeviceModule> load(StringRef image, DiagnosticSink &sink) override;
  void unload(DeviceModule module) override {
    queue.clear();
    llvm::erase_if(modules,
                   [&](const auto &each) { return each.get() == module; });
  }
  FailureOr<DeviceKernel> findKernel(DeviceModule module, StringRef name,
                                     DiagnosticSink &sink) override;
  LogicalResult launch(DeviceKernel kernel, const LaunchShape &shape,
                       void **arguments, DiagnosticSink &sink) override;
  LogicalResult synchronize(DiagnosticSink &sink) override {
    for (PendingLaunch &pending : std::exchange(queue, {}))
      if (failed(runKernel(pending, sink)))
        return failure();
    return success();
  }

  void *allocate(size_t bytes, DiagnosticSink &sink) override;
  void release(void *block) override {
    queue.clear(); // of a call that was given up
    memory.release(block);
  }
  void confine(void *part, size_t bytes) override {
    memory.confine(part, bytes);
  }
  LogicalResult copy(void *to, const void *from, size_t bytes,
                     DiagnosticSink &sink) override {
    if (failed(synchronize(sink)))
      return failure();
    std::memmove(to, from, bytes);
    return success();
  }
  LogicalResult fill(void *to, uint32_t value, unsigned width, size_t count,
                     DiagnosticSink &sink) override;

  FailureOr<DeviceEvent> record(DiagnosticSink &sink) override;
  void releaseEvent(DeviceEvent event) override {
    llvm::erase_if(events,
                   [&](const auto &each) { return each.get() == event; });
  }
  FailureOr<double> secondsBetween(DeviceEvent from, DeviceEvent to,
                                   DiagnosticSink &) override {
    std::chrono::duration<double> passed =
        *static_cast<Clock::time_point *>(to) -
        *static_cast<Clock::time_point *>(from);
    return passed.count();
  }
  LogicalResult encodeTensorMap(const TensorMapShape &shape, void *map,
                                DiagnosticSink &sink) override;

private:
  using Clock = std::chrono::steady_clock;
  LogicalResult checkShape(const SimKernel &kernel, const LaunchShape &shape,
                           DiagnosticSink &sink) const;
  LogicalResult runKernel(PendingLaunch &pending, DiagnosticSink &sink);

  SimChip chip;
  uint64_t seed;
  Poison poison = Poison::NotANumber;
  SourceSpan where;
  SimGlobalMemory memory;
  SimLauncher launcher;
  std::vector<std::unique_ptr<SimModule>> modules;
  std::vector<PendingLaunch> queue;
  std::vector<std::unique_ptr<Clock::time_point>> events;
};
} // namespace

FailureOr<DeviceModule> SimDevice::load(StringRef image, DiagnosticSink &sink) {
  auto module = SimModule::load(image, chip, where, sink);
  if (failed(module))
    return failure();
  modules.push_back(std::move(*module));
  return DeviceModule(modules.back().get());
}

FailureOr<DeviceKernel> SimDevice::findKernel(DeviceModule module,
                                              StringRef name,
                                              DiagnosticSink &sink) {
  const auto &loaded = *static_cast<const SimModule *>(module);
  if (const SimKernel *kernel = loaded.findKernel(name))
    return const_cast<void *>(static_cast<const void *>(kernel));
  std::vector<std::string> names = loaded.kernelNames();
  std::vector<StringRef> candidates(names.begin(), names.end());
  return sink.error(DiagKind::BackendUnknownEntry, where,
                    "the device code has no kernel '" + name + "'" +
                        didYouMean(name, candidates));
}

LogicalResult SimDevice::checkShape(const SimKernel &kernel,
                                    const LaunchShape &shape,
                                    DiagnosticSink &sink) const {
  auto refuse = [&](const Twine &what) {
    return sink.error(DiagKind::BackendDeviceLimit, where,
                      "kernel '" + kernel.name +
                          "' can't be launched: " + what);
  };
  uint64_t threads = shape.block[0] * shape.block[1] * shape.block[2];
  uint64_t limit = kernel.threadLimit
                       ? std::min<uint64_t>(kernel.threadLimit, chip.threads)
                       : chip.threads;
  if (threads == 0 || threads > limit || shape.block[2] > 1024)
    return refuse("blocks of " + Twine(threads) +
                  " threads; it can have 1 to " + Twine(limit));
  constexpr uint64_t widest = (uint64_t(1) << 31) - 1, others = 65535;
  uint64_t most = chip.isNvidia() ? others : widest;
  if (shape.grid[0] == 0 || shape.grid[0] > widest || shape.grid[1] == 0 ||
      shape.grid[1] > most || shape.grid[2] == 0 || shape.grid[2] > most)
    return refuse("a grid of " + Twine(shape.grid[0]) + " x " +
                  Twine(shape.grid[1]) + " x " + Twine(shape.grid[2]) +
                  " blocks");
  uint64_t bytes = shape.dynamicSharedBytes;
  for (const auto &buffer : kernel.shared.buffers)
    bytes += buffer.bytes;
  uint64_t end = kernel.dynamicOffset + shape.dynamicSharedBytes;
  if (bytes > chip.shared || end > SimSharedMemory::windowBytes)
    return refuse(Twine(bytes) + " bytes of shared memory; a block on " +
                  chip.name + " can have " + Twine(chip.shared));
  if (shape.cluster != std::array<uint64_t, 3>{1, 1, 1})
    return sink.error(DiagKind::BackendNotSimulated, where,
                      "kernel '" + kernel.name +
                          "': clusters of several blocks aren't simulated");
  return success();
}

LogicalResult SimDevice::launch(DeviceKernel handle, const LaunchShape &shape,
                                void **arguments, DiagnosticSink &sink) {
  const auto &kernel = *static_cast<const SimKernel *>(handle);
  if (failed(checkShape(kernel, shape, sink)))
    return failure();
  PendingLaunch pending{&kernel, shape, {}, seed, poison};
  for (size_t i = 0; i < kernel.parameterBytes.size(); ++i) {
    const auto *value = static_cast<const char *>(arguments[i]);
    pending.arguments.emplace_back(value, value + kernel.parameterBytes[i]);
  }
  queue.push_back(std::move(pending));
  return success();
}

LogicalResult SimDevice::runKernel(PendingLaunch &pending,
                                   DiagnosticSink &sink) {
  std::vector<void *> arguments;
  for (std::vector<char> &value : pending.arguments)
    arguments.push_back(value.data());
  const SimKernel &kernel = *pending.kernel;
  SimLaunch launch{&kernel,          pending.shape, kernel.shared,
                   arguments.data(), pending.seed,  pending.poison};
  if (pending.shape.dynamicSharedBytes)
    launch.shared.buffers.push_back(
        {kernel.dynamicOffset, pending.shape.dynamicSharedBytes});
  std::optional<SimFinding> finding = launcher.run(launch);
  if (!finding)
    return success();
  return sink.error(finding->kind, where, finding->message);
}

void *SimDevice::allocate(size_t bytes, DiagnosticSink &sink) {
  if (void *block = memory.allocate(bytes))
    return block;
  (void)sink.error(DiagKind::BackendDeviceMemory, where,
                   "the simulated device has no room for " + Twine(bytes) +
                       " bytes; it has " + Twine(memoryBytes) + " in all");
  return nullptr;
}

LogicalResult SimDevice::fill(void *to, uint32_t value, unsigned width,
                              size_t count, DiagnosticSink &sink) {
  if (failed(synchronize(sink)))
    return failure();
  for (size_t i = 0; i < count; ++i)
    std::memcpy(static_cast<char *>(to) + i * width, &value, width);
  return success();
}

FailureOr<DeviceEvent> SimDevice::record(DiagnosticSink &sink) {
  if (failed(synchronize(sink)))
    return failure();
  events.push_back(std::make_unique<Clock::time_point>(Clock::now()));
  return DeviceEvent(events.back().get());
}

LogicalResult SimDevice::encodeTensorMap(const TensorMapShape &shape, void *map,
                                         DiagnosticSink &sink) {
  SimTensorMap encoded;
  if (auto problem = encodeSimTensorMap(shape, encoded))
    return sink.error(problem->kind, where, problem->text);
  std::memcpy(map, &encoded, sizeof(encoded));
  return success();
}

std::unique_ptr<Device> lh::openSimulatedDevice(const SimOptions &options,
                                                const SourceSpan &where,
                                                DiagnosticSink &sink) {
  std::optional<SimChip> chip = findChip(options.chip);
  if (chip)
    return std::make_unique<SimDevice>(*chip, options, where);
  (void)sink.error(DiagKind::BackendUnknownChip, where,
                   "no chip '" + options.chip +
                       "' is known; write it as 'sm_90' or 'gfx942'");
  return nullptr;
}
