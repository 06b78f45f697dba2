// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the threads of one block, one at a time, in an order that is meant to
// go wrong where it can.
#ifndef LH_RUNTIME_SIM_BLOCK_H
#define LH_RUNTIME_SIM_BLOCK_H

#include "runtime/sim/Barriers.h"
#include "runtime/sim/Findings.h"
#include "runtime/sim/GlobalAccesses.h"
#include "runtime/sim/PhaseBarriers.h"
#include "runtime/sim/Schedule.h"
#include "runtime/sim/TensorCopies.h"
#include "runtime/sim/Thread.h"

#include <map>

namespace lh {

/// Used again from block to block, by one host thread at a time.
class SimBlock {
public:
  SimBlock(const SimChip &chip, const SimGlobalMemory &memory);
  ~SimBlock();

  /// Why this host can't run blocks; empty: it can.
  std::string obstacle() const;

  /// Runs the block at `position` to its end or to its first finding.
  std::optional<SimFinding> run(const SimLaunch &launch,
                                const SimPosition &position, uint64_t seed);

  /// The block that this host thread runs; null outside of run().
  static SimBlock *current();

  // For operations.

  const SimChip &chip() const { return theChip; }
  const SimLaunch &launch() const { return *theLaunch; }
  const SimPosition &position() const { return thePosition; }
  SimThread &running() { return *runningThread; }
  MutableArrayRef<SimThread> threads() { return {all.data(), count}; }
  unsigned wave() const { return launch().kernel->wave; }
  SimSharedMemory &shared() { return sharedMemory; }
  SimClocks &clocks() { return theClocks; }
  SimBarriers &barriers() { return theBarriers; }
  SimPhaseBarriers &phases() { return thePhases; }
  SimTensorCopies &tensorCopies() { return theTensorCopies; }
  SimSchedule &schedule() { return theSchedule; }
  int64_t *fuel() { return &fuelLeft; }

  /// Notes a finding; only the first counts. What the thread does next is
  /// never seen.
  void fail(DiagKind kind, const SimThread *thread, const SimSite *site,
            const Twine &what);
  bool hasFailed() const { return finding.has_value(); }
  /// Stops the running thread in `state`, until it is made Ready again.
  void suspend(SimThread::State state);
  /// The running thread has used up its fuel: others run. False: it does this
  /// all the time.
  bool starve();
  /// The running thread never goes on.
  [[noreturn]] void abandon();

  /// Checks and notes an access of `thread`. False: it must not happen.
  bool touch(SimThread &thread, const SimSite &site, const void *address,
             uint64_t bytes, SimTouch how);
  /// The same for what a copy engine or a matrix unit does for `thread`, noted
  /// at `stamp`.
  bool touchAs(SimThread &thread, const SimSite &site, const void *address,
               uint64_t bytes, SimTouch how, SimStamp stamp);
  /// Checks that `address` is a multiple of `alignment`.
  bool isAligned(SimThread &thread, const SimSite &site, const void *address,
                 uint64_t alignment);
  /// Whether `address` is on the running thread's stack, in the module's
  /// globals, or in its arguments.
  bool isPrivate(const void *address, uint64_t bytes) const;
  const SimGlobalMemory &global() const { return memory; }
  /// What the block, or the last one that ran, does to global memory.
  SimGlobalAccesses &globalAccesses() { return theGlobalAccesses; }

  /// A signal arrived while a thread ran: its stack overflowed, or it did what
  /// no GPU does. False: no thread was running.
  bool takeSignal(int number, const void *address, void *context);

private:
  void begin();
  bool touchGlobal(SimThread &thread, const SimSite &site, const void *address,
                   uint64_t bytes, SimTouch how);
  void resume(SimThread &thread);
  void start(SimThread &thread);
  bool runWarp(unsigned warp);
  bool poll(unsigned warp);
  bool isPolling() const;
  bool settle();
  bool deliverTile();
  void reportStuck();
  std::string describeWait(const SimThread &thread) const;
  void finish();
  static void runThread(void *thread);

  const SimChip &theChip;
  const SimGlobalMemory &memory;
  FiberStacks stacks;
  SimSharedMemory sharedMemory;
  SimGlobalAccesses theGlobalAccesses;
  /// By address: what is known to who does an atomic there. As memory has one
  /// view, each orders all that comes before it and after the next.
  std::map<uintptr_t, SimClocks::Knowledge> atomicOrder;
  SimClocks theClocks;
  SimBarriers theBarriers;
  SimPhaseBarriers thePhases;
  SimTensorCopies theTensorCopies;
  SimSchedule theSchedule;

  const SimLaunch *theLaunch = nullptr;
  SimPosition thePosition = {};
  std::vector<SimThread> all;
  std::vector<unsigned> laneOrder;
  unsigned count = 0, live = 0;
  uint64_t resumes = 0, idleRounds = 0;
  SimThread *runningThread = nullptr;
  FiberState scheduler = nullptr;
  int64_t fuelLeft = 0;
  std::optional<SimFinding> finding;
};

} // namespace lh

#endif // LH_RUNTIME_SIM_BLOCK_H
