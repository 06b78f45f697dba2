// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibers of one block, run until they all end or one of them does wrong.
#include "runtime/sim/Block.h"

#include "runtime/sim/Collectives.h"
#include "runtime/sim/GlobalMemory.h"
#include "runtime/sim/SimModule.h"

#include <csignal>

using namespace lh;

/// Turns of loops that a thread may make before others get their turn; how
/// often it, and all of a block, may use them up without waiting for another.
/// That is about a second, and some seconds.
static constexpr int64_t loopBudget = int64_t(1) << 20;
static constexpr unsigned sliceBudget = 1 << 7, blockSliceBudget = 1 << 11;
/// Rounds in which all threads but look again.
static constexpr uint64_t idleBudget = 1 << 14;
/// Times that a block's threads may be switched to: some seconds.
static constexpr uint64_t switchBudget = uint64_t(1) << 28;
static constexpr size_t stackBytes = 256 << 10;
/// Stamps have 28 bits for epochs.
static constexpr uint64_t epochLimit = uint64_t(1) << 27;

static thread_local SimBlock *currentBlock = nullptr;

SimBlock *SimBlock::current() { return currentBlock; }

SimBlock::SimBlock(const SimChip &chip, const SimGlobalMemory &memory)
    : theChip(chip), memory(memory), stacks(stackBytes) {}

SimBlock::~SimBlock() = default;

std::string SimBlock::obstacle() const {
  return sharedMemory.isMapped()
             ? ""
             : "the host has no room below 2 GiB for shared memory";
}

void SimBlock::begin() {
  const auto &size = launch().shape.block;
  count = static_cast<unsigned>(size[0] * size[1] * size[2]);
  live = count;
  resumes = idleRounds = 0;
  finding.reset();
  if (all.size() < count)
    all.resize(count);
  for (unsigned i = 0; i < count; ++i) {
    SimThread &thread = all[i];
    thread.block = this;
    thread.index = i;
    thread.warp = i / wave();
    thread.lane = i % wave();
    thread.id = positionIn(size, i);
    thread.state = SimThread::State::Ready;
    thread.call = {};
    thread.slices = 0;
    thread.copies.begin();
    thread.wgmma.begin();
  }
  if (theClocks.currentEpoch() > epochLimit) {
    theClocks = SimClocks();
    sharedMemory.forget();
  }
  theClocks.begin(count, wave());
  sharedMemory.begin(launch().shared, launch().poison);
  theGlobalAccesses.begin();
  atomicOrder.clear();
  theBarriers.begin();
  thePhases.begin();
  theTensorCopies.begin();
  laneOrder = theSchedule.order(wave());
}

std::optional<SimFinding> SimBlock::run(const SimLaunch &launch,
                                        const SimPosition &position,
                                        uint64_t blockIndex) {
  theLaunch = &launch;
  thePosition = position;
  theSchedule.begin(launch.seed, blockIndex);
  begin();
  currentBlock = this;
  unsigned warps = (count + wave() - 1) / wave();
  while (live && !hasFailed()) {
    bool progress = false;
    for (unsigned warp : theSchedule.order(warps)) {
      progress |= runWarp(warp);
      if (hasFailed())
        break;
      progress |= theBarriers.complete(*this, live);
    }
    if (!hasFailed() && !theTensorCopies.isIdle() && theSchedule.isEarly())
      progress |= deliverTile();
    idleRounds = progress ? 0 : idleRounds + 1;
    if (!progress && !hasFailed() && !settle() &&
        (!isPolling() || idleRounds > idleBudget))
      reportStuck();
  }
  currentBlock = nullptr;
  finish();
  return std::exchange(finding, std::nullopt);
}

/// Stacks of threads that were stopped for good are free again.
void SimBlock::finish() {
  for (SimThread &thread : threads())
    if (char *stack = std::exchange(thread.stack, nullptr))
      stacks.release(stack);
}

bool SimBlock::isPolling() const {
  for (unsigned i = 0; i < count; ++i)
    if (all[i].state == SimThread::State::Polling)
      return true;
  return false;
}

/// Lets threads that poll look again; true when one of them went on.
bool SimBlock::poll(unsigned warp) {
  bool progress = false;
  unsigned first = warp * wave();
  for (unsigned i = first; i < std::min(first + wave(), count); ++i)
    if (all[i].state == SimThread::State::Polling && !hasFailed()) {
      resume(all[i]);
      progress |= all[i].state != SimThread::State::Polling;
    }
  return progress;
}

bool SimBlock::runWarp(unsigned warp) {
  bool progress = poll(warp);
  if (hasFailed())
    return true;
  unsigned first = warp * wave();
  for (bool again = true; again;) {
    again = false;
    for (unsigned lane : laneOrder) {
      if (first + lane >= count ||
          all[first + lane].state != SimThread::State::Ready)
        continue;
      resume(all[first + lane]);
      again = true;
      if (hasFailed())
        return true;
    }
    again |= fireCollectives(*this, warp);
    progress |= again;
    if (hasFailed() || theSchedule.chance(8))
      break;
  }
  return progress;
}

void SimBlock::start(SimThread &thread) {
  thread.stack = stacks.acquire();
  thread.fiber = makeFiber(thread.stack, &SimBlock::runThread, &thread);
}

void SimBlock::resume(SimThread &thread) {
  if (!thread.stack)
    start(thread);
  if (++resumes > switchBudget)
    return fail(DiagKind::BackendDeadlock, &thread, thread.call.site,
                "the block doesn't end: its threads wait again and again");
  runningThread = &thread;
  fuelLeft = loopBudget;
  lh_fiber_switch(&scheduler, thread.fiber);
  runningThread = nullptr;
  if (thread.state != SimThread::State::Done)
    return;
  stacks.release(std::exchange(thread.stack, nullptr));
  --live;
}

void SimBlock::runThread(void *argument) {
  auto &thread = *static_cast<SimThread *>(argument);
  SimBlock &block = *thread.block;
  block.launch().kernel->run(block.launch().arguments);
  thread.state = SimThread::State::Done;
  block.abandon();
}

void SimBlock::suspend(SimThread::State state) {
  SimThread &thread = running();
  thread.state = state;
  if (state != SimThread::State::Polling)
    thread.slices = 0;
  lh_fiber_switch(&thread.fiber, scheduler);
}

bool SimBlock::starve() {
  unsigned slices = 0;
  ++running().slices;
  for (const SimThread &thread : threads())
    if (thread.state != SimThread::State::Done)
      slices += thread.slices;
  if (running().slices > sliceBudget || slices > blockSliceBudget)
    return false;
  suspend(SimThread::State::Polling);
  return true;
}

void SimBlock::abandon() {
  lh_fiber_switch(&running().fiber, scheduler);
  __builtin_unreachable();
}

bool SimBlock::deliverTile() {
  if (theTensorCopies.isIdle())
    return false;
  auto waiting = static_cast<unsigned>(theTensorCopies.count());
  theTensorCopies.finishOne(
      *this, theSchedule.isRandom() ? theSchedule.below(waiting) : 0);
  return true;
}

/// What is left to happen when no thread can go on.
bool SimBlock::settle() {
  unsigned warps = (count + wave() - 1) / wave();
  for (unsigned warp : theSchedule.order(warps))
    if (fireActiveLanes(*this, warp))
      return true;
  return deliverTile();
}

std::string SimBlock::describeWait(const SimThread &thread) const {
  if (thread.state == SimThread::State::AtPhase)
    return thePhases.describeWait(thread);
  if (thread.state == SimThread::State::AtBarrier)
    return theBarriers.describeWait(thread, live);
  return "it looks again and again for what doesn't come";
}

void SimBlock::reportStuck() {
  for (SimThread &thread : threads())
    if (thread.state == SimThread::State::AtCollective)
      return fail(DiagKind::BackendDivergentCollective, &thread,
                  thread.call.site, describeMissingLanes(*this, thread));
  for (SimThread &thread : threads())
    if (thread.state != SimThread::State::Done)
      return fail(DiagKind::BackendDeadlock, &thread, thread.call.site,
                  describeWait(thread));
}

void SimBlock::fail(DiagKind kind, const SimThread *thread, const SimSite *site,
                    const Twine &what) {
  if (!hasFailed())
    finding = {kind, describeFinding(launch().kernel->name, thePosition, thread,
                                     site, what)};
}

bool SimBlock::isAligned(SimThread &thread, const SimSite &site,
                         const void *address, uint64_t alignment) {
  if (reinterpret_cast<uintptr_t>(address) % alignment == 0)
    return true;
  fail(DiagKind::BackendMisaligned, &thread, &site,
       "an address that is no multiple of " + Twine(alignment) + " (" +
           Twine(reinterpret_cast<uintptr_t>(address) % alignment) +
           " bytes past one)");
  return false;
}

static StringRef verb(SimTouch how) {
  switch (how) {
  case SimTouch::Read:
    return "reads ";
  case SimTouch::Write:
    return "writes ";
  case SimTouch::Atomic:
    return "updates ";
  case SimTouch::CopyStart:
    return "copies to ";
  }
  return "";
}

bool SimBlock::touchAs(SimThread &thread, const SimSite &site,
                       const void *address, uint64_t bytes, SimTouch how,
                       SimStamp stamp) {
  auto problem = sharedMemory.touch(address, bytes, how, stamp, theClocks);
  if (problem)
    fail(problem->kind, &thread, &site, verb(how) + problem->text);
  return !problem;
}

bool SimBlock::touch(SimThread &thread, const SimSite &site,
                     const void *address, uint64_t bytes, SimTouch how) {
  if (sharedMemory.contains(address))
    return touchAs(thread, site, address, bytes, how,
                   theClocks.now(thread.index));
  if (memory.covers(address, bytes))
    return touchGlobal(thread, site, address, bytes, how);
  if (isPrivate(address, bytes))
    return true;
  fail(DiagKind::BackendOutOfBounds, &thread, &site,
       verb(how) + Twine(bytes) + " bytes at an address " +
           memory.describe(address));
  return false;
}

bool SimBlock::touchGlobal(SimThread &thread, const SimSite &site,
                           const void *address, uint64_t bytes, SimTouch how) {
  auto at = reinterpret_cast<uintptr_t>(address);
  SimStamp stamp = theClocks.now(thread.index);
  SimClocks::Knowledge *order =
      how == SimTouch::Atomic ? &atomicOrder[at] : nullptr;
  if (order)
    theClocks.acquire(thread.index, *order);
  auto found =
      theGlobalAccesses.touch(at, bytes, {how, site, stamp, theClocks});
  if (order)
    theClocks.release(thread.index, *order);
  if (found)
    fail(DiagKind::BackendDataRace, &thread, &site,
         verb(how) + memory.place(found->address) +
             found->race.text(theClocks));
  return !found;
}

bool SimBlock::isPrivate(const void *address, uint64_t bytes) const {
  const char *at = static_cast<const char *>(address);
  if (runningThread && at < runningThread->stack &&
      at >= runningThread->stack - stacks.size())
    return true;
  return launch().kernel->module->ownsMemory(address, bytes);
}

bool SimBlock::takeSignal(int number, const void *address, void *context) {
  if (!runningThread)
    return false;
  std::string what = "it did what the simulation can't go on after (signal " +
                     std::to_string(number) + ")";
  if (stacks.isGuard(address))
    what =
        "its stack of " + std::to_string(stacks.size()) + " bytes overflowed";
  else if (number == SIGFPE)
    what = "it divided an integer by zero";
  else if (number == SIGILL || number == SIGTRAP)
    what = "it got to a trap, or to where the compiler saw no way to";
  fail(DiagKind::BackendDeviceFault, runningThread, runningThread->call.site,
       what);
  redirectSignal(context, scheduler);
  return true;
}
