// Hands out blocks; keeps the first finding.
#include "backend/gpu/sim/Launcher.h"

#include "backend/gpu/sim/Faults.h"

#include <atomic>
#include <mutex>
#include <thread>

using namespace lh;

namespace {
/// What the workers of one launch share.
class Queue {
public:
  explicit Queue(const SimLaunch &launch)
      : launch(launch), count(launch.shape.grid[0] * launch.shape.grid[1] *
                              launch.shape.grid[2]) {
    // A bijection of 0 .. count-1 for any odd factor that shares no divisor
    // with the count.
    if (launch.seed > 1) {
      offset = launch.seed * 0x9E3779B97F4A7C15u % count;
      for (uint64_t candidate : {7919u, 104729u, 1299709u})
        if (std::gcd(candidate, count) == 1)
          factor = candidate;
    }
  }

  void work(SimBlock &block) {
    SimSignalStack stack;
    for (uint64_t turn = next++; turn < count && turn < firstFailure;
         turn = next++) {
      uint64_t index = indexAt(turn);
      auto found = block.run(launch, positionOf(index), index);
      if (found)
        note(turn, std::move(*found));
    }
  }

  std::optional<SimFinding> take() { return std::move(finding); }

private:
  uint64_t indexAt(uint64_t turn) const {
    if (launch.seed == 1)
      return count - 1 - turn;
    return (turn % count * (factor % count) + offset) % count;
  }
  SimPosition positionOf(uint64_t index) const {
    const auto &grid = launch.shape.grid;
    return {static_cast<uint32_t>(index % grid[0]),
            static_cast<uint32_t>(index / grid[0] % grid[1]),
            static_cast<uint32_t>(index / grid[0] / grid[1])};
  }
  void note(uint64_t turn, SimFinding found) {
    std::lock_guard<std::mutex> lock(mutex);
    if (turn >= firstFailure)
      return;
    firstFailure = turn;
    finding = std::move(found);
  }

  const SimLaunch &launch;
  uint64_t count, factor = 1, offset = 0;
  std::atomic<uint64_t> next = 0, firstFailure = ~uint64_t(0);
  std::mutex mutex;
  std::optional<SimFinding> finding;
};
} // namespace

std::optional<SimFinding> SimLauncher::run(const SimLaunch &launch) {
  uint64_t grid =
      launch.shape.grid[0] * launch.shape.grid[1] * launch.shape.grid[2];
  uint64_t wanted =
      launch.kernel->hasGlobalAtomics ? 1 : std::min<uint64_t>(workers, grid);
  while (blocks.size() < wanted)
    blocks.push_back(std::make_unique<SimBlock>(chip, memory));
  for (size_t i = 0; i < wanted; ++i)
    if (std::string obstacle = blocks[i]->obstacle(); !obstacle.empty())
      return SimFinding{DiagKind::BackendUnavailable, obstacle};
  Queue queue(launch);
  SimFaultGuard guard;
  std::vector<std::thread> others;
  for (size_t i = 1; i < wanted; ++i)
    others.emplace_back([&, i] { queue.work(*blocks[i]); });
  queue.work(*blocks[0]);
  for (std::thread &other : others)
    other.join();
  return queue.take();
}
