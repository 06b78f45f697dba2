// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".
#include "runtime/sim/PhaseBarriers.h"

#include "runtime/sim/Block.h"
#include "runtime/sim/OperationFamilies.h"

using namespace lh;

static constexpr uint64_t barrierBytes = 8;

void SimPhaseBarriers::initialize(SimThread &thread, const SimCall &call,
                                  const void *at, uint32_t count) {
  SimBlock &block = *thread.block;
  if (!block.isAligned(thread, *call.site, at, barrierBytes) ||
      !block.touch(thread, *call.site, at, barrierBytes, SimTouch::Write))
    return;
  if (count == 0 || count >= 1u << 20)
    return block.fail(DiagKind::BackendDeviceFault, &thread, call.site,
                      "an mbarrier of " + Twine(count) + " arrivals");
  barriers[at] = {count, count, 0, 0, {}, {}};
}

void SimPhaseBarriers::invalidate(SimThread &thread, const SimCall &call,
                                  const void *at) {
  if (find(thread, call, at) &&
      thread.block->touch(thread, *call.site, at, barrierBytes,
                          SimTouch::Write))
    barriers.erase(at);
}

SimPhaseBarriers::Barrier *
SimPhaseBarriers::find(SimThread &thread, const SimCall &call, const void *at) {
  SimBlock &block = *thread.block;
  if (!block.touch(thread, *call.site, at, barrierBytes, SimTouch::Atomic))
    return nullptr;
  auto found = barriers.find(at);
  if (found != barriers.end())
    return &found->second;
  block.fail(DiagKind::BackendDeviceFault, &thread, call.site,
             "no mbarrier was initialised here");
  return nullptr;
}

uint64_t SimPhaseBarriers::arrive(SimThread &thread, const SimCall &call,
                                  const void *at, uint32_t count,
                                  int64_t expectedBytes, bool drops) {
  Barrier *barrier = find(thread, call, at);
  if (!barrier)
    return 0;
  SimBlock &block = *thread.block;
  if (count > barrier->pending) {
    block.fail(DiagKind::BackendDeviceFault, &thread, call.site,
               Twine(count) + " arrivals at an mbarrier whose phase expects " +
                   Twine(barrier->pending) + " more");
    return 0;
  }
  uint64_t phase = barrier->phase;
  block.clocks().release(thread.index, barrier->collecting);
  barrier->bytes += expectedBytes;
  barrier->pending -= count;
  if (drops)
    barrier->count -= count;
  advance(block, at, *barrier);
  return phase;
}

void SimPhaseBarriers::expect(SimThread &thread, const SimCall &call,
                              const void *at, int64_t bytes) {
  if (Barrier *barrier = find(thread, call, at)) {
    barrier->bytes += bytes;
    advance(*thread.block, at, *barrier);
  }
}

void SimPhaseBarriers::complete(SimBlock &block, unsigned actor, const void *at,
                                int64_t bytes) {
  auto found = barriers.find(at);
  if (found == barriers.end())
    return;
  block.clocks().release(actor, found->second.collecting);
  found->second.bytes -= bytes;
  advance(block, at, found->second);
}

void SimPhaseBarriers::advance(SimBlock &block, const void *at,
                               Barrier &barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0)
    return;
  ++barrier.phase;
  barrier.pending = barrier.count;
  barrier.completed = std::move(barrier.collecting);
  barrier.collecting.clear();
  for (SimThread &thread : block.threads())
    if (thread.state == SimThread::State::AtPhase &&
        thread.phaseBarrier == at && (barrier.phase & 1) != thread.parity) {
      thread.state = SimThread::State::Ready;
      block.clocks().acquire(thread.index, barrier.completed);
    }
}

bool SimPhaseBarriers::test(SimThread &thread, const SimCall &call,
                            const void *at, uint64_t parity) {
  Barrier *barrier = find(thread, call, at);
  if (!barrier || (barrier->phase & 1) == (parity & 1))
    return false;
  thread.block->clocks().acquire(thread.index, barrier->completed);
  return true;
}

void SimPhaseBarriers::wait(SimThread &thread, const SimCall &call,
                            const void *at, uint64_t parity) {
  if (test(thread, call, at, parity) || thread.block->hasFailed())
    return;
  thread.phaseBarrier = at;
  thread.parity = parity & 1;
  thread.block->suspend(SimThread::State::AtPhase);
}

std::string SimPhaseBarriers::describeWait(const SimThread &thread) const {
  const Barrier &barrier = barriers.at(thread.phaseBarrier);
  return "it waits for ever for the end of an mbarrier's phase of parity " +
         std::to_string(thread.parity) + ": phase " +
         std::to_string(barrier.phase) + " lacks " +
         std::to_string(barrier.pending) + " arrivals and " +
         std::to_string(barrier.bytes) + " bytes";
}

namespace {
/// An mbarrier instruction, from any of its spellings.
struct Spelling {
  StringRef verb;     ///< "arrive", "arrive.expect_tx", "try_wait.parity", ...
  unsigned first = 0; ///< argument with the mbarrier's address
  std::optional<unsigned> predicate;
};
} // namespace

static std::string normalized(StringRef text) {
  std::string result;
  for (char each : text)
    result += each == '_' ? '.' : each;
  return StringRef(result).lower();
}

static SimOperation arriving(bool expects, bool counted, bool drops,
                             std::optional<unsigned> predicate) {
  return SimOperation::ofThread([=](SimThread &thread, const SimCall &call) {
    if (predicate && !(call.get<uint8_t>(*predicate) & 1))
      return;
    uint32_t amount = expects || counted ? call.get<uint32_t>(1) : 1;
    uint64_t phase = thread.block->phases().arrive(
        thread, call, call.get<void *>(0), expects ? 1 : amount,
        expects ? amount : 0, drops);
    // Without a result there is room for one all the same, past the arguments.
    if (call.site->hasResult)
      call.put(phase);
  });
}

static SimOperation waiting(bool blocks, bool byParity) {
  return SimOperation::ofThread([=](SimThread &thread, const SimCall &call) {
    SimPhaseBarriers &phases = thread.block->phases();
    auto *at = call.get<const void *>(0);
    // A token is the number of the phase.
    uint64_t parity = byParity ? call.get<uint32_t>(1) : call.get<uint64_t>(1);
    bool over = true;
    if (blocks)
      phases.wait(thread, call, at, parity);
    else if (!(over = phases.test(thread, call, at, parity)))
      thread.block->suspend(SimThread::State::Polling);
    if (call.site->hasResult)
      call.put<uint8_t>(over);
  });
}

static SimOperation initializing(std::optional<unsigned> predicate) {
  return SimOperation::ofThread([=](SimThread &thread, const SimCall &call) {
    if (!predicate || (call.get<uint8_t>(*predicate) & 1))
      thread.block->phases().initialize(thread, call, call.get<void *>(0),
                                        call.get<uint32_t>(1));
  });
}

static std::optional<SimOperation> findVerb(StringRef verb,
                                            std::optional<unsigned> predicate) {
  auto starts = [&](StringRef prefix) { return verb.starts_with(prefix); };
  if (starts("init"))
    return initializing(predicate);
  if (starts("inval"))
    return SimOperation::ofThread([](SimThread &thread, const SimCall &call) {
      thread.block->phases().invalidate(thread, call, call.get<void *>(0));
    });
  bool drops = starts("arrive.drop");
  if (starts("arrive")) {
    bool expects = verb.contains("expect.tx");
    bool counted = verb.contains("nocomplete") || verb.contains("scope");
    return arriving(expects, counted, drops, predicate);
  }
  if (starts("expect.tx"))
    return SimOperation::ofThread([](SimThread &thread, const SimCall &call) {
      thread.block->phases().expect(thread, call, call.get<void *>(0),
                                    call.get<uint32_t>(1));
    });
  if (starts("try.wait") || starts("test.wait"))
    return waiting(starts("try.wait"), verb.contains("parity"));
  return std::nullopt;
}

/// "@$2 mbarrier.init.shared.b64 [$0], $1;": the verb, and the predicate's
/// argument. Inline assembly has its results, if any, before its arguments.
static std::optional<SimOperation> findBarrierAssembly(StringRef text) {
  size_t at = text.find("mbarrier.");
  if (at == StringRef::npos || text.contains("cp.async"))
    return std::nullopt;
  std::optional<unsigned> predicate;
  StringRef before = text.substr(0, at).trim();
  unsigned number = 0;
  if (before.consume_front("@$") && !before.consumeInteger(10, number))
    predicate = number;
  StringRef rest = text.substr(at + StringRef("mbarrier.").size());
  std::string verb = normalized(rest.substr(0, rest.find_first_of(" [")));
  return findVerb(verb, predicate);
}

std::optional<SimOperation> lh::findPhaseBarrier(const SimOperationName &name,
                                                 const SimChip &chip) {
  if (!chip.isNvidia() || chip.version < 80)
    return std::nullopt;
  if (name.isAssembly())
    return findBarrierAssembly(name.name);
  StringRef text = name.name;
  if (!text.consume_front("llvm.nvvm.mbarrier."))
    return std::nullopt;
  std::string verb = normalized(text);
  return findVerb(verb, std::nullopt);
}
