// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hands out blocks; keeps the first finding.
#include "runtime/sim/Launcher.h"

#include "runtime/sim/Faults.h"
#include "runtime/sim/GlobalMemory.h"

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

using namespace lh;

static std::string collisionText(const SimLaunchAccesses::Collision &collision,
                                 const SimGlobalMemory &memory) {
  return std::string(collision.writes ? "writes " : "reads ") +
         memory.place(collision.address) + ", which another block of the " +
         "launch " + (collision.wasWritten ? "writes" : "reads") +
         ": nothing orders blocks";
}

namespace {
/// What the workers of one launch share.
class Queue {
public:
  /// `accesses`: null where blocks may be ordered by atomics.
  Queue(const SimLaunch &launch, const SimGlobalMemory &memory,
        SimLaunchAccesses *accesses, size_t workers)
      : launch(launch), memory(memory), accesses(accesses), ahead(4 * workers),
        count(launch.shape.grid[0] * launch.shape.grid[1] *
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
      else if (accesses)
        compare(turn, block.globalAccesses());
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
    return positionIn(launch.shape.grid, index);
  }

  void note(uint64_t turn, SimFinding found) {
    std::lock_guard<std::mutex> lock(mutex);
    noteLocked(turn, std::move(found));
  }
  void noteLocked(uint64_t turn, SimFinding found) {
    if (turn < firstFailure) {
      firstFailure = turn;
      finding = std::move(found);
    }
    // Who waits for a turn that is never added need not.
    added.notify_all();
  }

  /// Compares what a block did with what those before it did. They are added
  /// in the order of their turns: what is found is the same for any number of
  /// workers.
  void compare(uint64_t turn, SimGlobalAccesses &done) {
    std::unique_lock<std::mutex> lock(mutex);
    added.wait(
        lock, [&] { return turn < nextToAdd + ahead || turn >= firstFailure; });
    if (turn != nextToAdd) {
      std::swap(waiting[turn], done);
      if (!spare.empty()) {
        done = std::move(spare.back());
        spare.pop_back();
      }
      return;
    }
    add(turn, done);
    for (auto first = waiting.begin();
         first != waiting.end() && first->first == nextToAdd;
         first = waiting.erase(first)) {
      add(first->first, first->second);
      spare.push_back(std::move(first->second));
    }
    added.notify_all();
  }

  void add(uint64_t turn, const SimGlobalAccesses &done) {
    auto collision = accesses->add(done);
    if (!collision) {
      ++nextToAdd;
      return;
    }
    SimThread thread;
    if (collision->thread)
      thread.id = positionIn(launch.shape.block, *collision->thread);
    noteLocked(turn, {DiagKind::BackendDataRace,
                      describeFinding(
                          launch.kernel->name, positionOf(indexAt(turn)),
                          collision->thread ? &thread : nullptr,
                          collision->site, collisionText(*collision, memory))});
  }

  const SimLaunch &launch;
  const SimGlobalMemory &memory;
  SimLaunchAccesses *accesses;
  uint64_t ahead; ///< turns that a worker may be ahead of what was added
  uint64_t count, factor = 1, offset = 0;
  std::atomic<uint64_t> next = 0, firstFailure = ~uint64_t(0);
  std::mutex mutex;
  std::condition_variable added;
  uint64_t nextToAdd = 0;
  std::map<uint64_t, SimGlobalAccesses> waiting; ///< by turn
  std::vector<SimGlobalAccesses> spare;          ///< to be used again
  std::optional<SimFinding> finding;
};
} // namespace

std::optional<SimFinding> SimLauncher::run(const SimLaunch &launch) {
  uint64_t grid =
      launch.shape.grid[0] * launch.shape.grid[1] * launch.shape.grid[2];
  bool ordered = launch.kernel->hasGlobalAtomics;
  uint64_t wanted = ordered ? 1 : std::min<uint64_t>(workers, grid);
  while (blocks.size() < wanted)
    blocks.push_back(std::make_unique<SimBlock>(chip, memory));
  for (size_t i = 0; i < wanted; ++i)
    if (std::string obstacle = blocks[i]->obstacle(); !obstacle.empty())
      return SimFinding{DiagKind::BackendUnavailable, obstacle};
  accesses.begin();
  Queue queue(launch, memory, ordered || grid == 1 ? nullptr : &accesses,
              wanted);
  SimFaultGuard guard;
  std::vector<std::thread> others;
  for (size_t i = 1; i < wanted; ++i)
    others.emplace_back([&, i] { queue.work(*blocks[i]); });
  queue.work(*blocks[0]);
  for (std::thread &other : others)
    other.join();
  return queue.take();
}
