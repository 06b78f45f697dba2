// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts arrivals, and lets threads go on.
#include "runtime/sim/Barriers.h"

#include "runtime/sim/Block.h"
#include "runtime/sim/Collectives.h"
#include "runtime/sim/OpenCl.h"
#include "runtime/sim/OperationFamilies.h"

using namespace lh;

void SimBarriers::begin() {
  barriers = {};
  active = 0;
}

void SimBarriers::arrive(SimThread &thread, const SimCall &call, unsigned id,
                         unsigned expected, bool waits) {
  SimBlock &block = *thread.block;
  if (id >= count)
    return block.fail(DiagKind::BackendDeviceFault, &thread, call.site,
                      "there is no barrier " + Twine(id));
  Barrier &barrier = barriers[id];
  bool first = barrier.waiting.empty() && barrier.arrived.empty();
  if (!first && barrier.expected != expected)
    return block.fail(DiagKind::BackendDeadlock, &thread, call.site,
                      "it waits for " + Twine(expected) +
                          " threads at barrier " + Twine(id) + ", others for " +
                          Twine(barrier.expected));
  barrier.expected = expected;
  active |= 1u << id;
  if (!waits) {
    block.clocks().release(thread.index, barrier.released);
    barrier.arrived.push_back(thread.index);
    return;
  }
  barrier.waiting.push_back(thread.index);
  thread.barrier = id;
  block.suspend(SimThread::State::AtBarrier);
}

void SimBarriers::reduce(SimThread &thread, const SimCall &call, unsigned id,
                         Reduction reduction, bool value) {
  if (id < count)
    barriers[id].holding += value;
  arrive(thread, call, id, 0, true);
  uint32_t holding = thread.reduced[0], all = thread.reduced[1];
  if (reduction == Reduction::And)
    call.put(holding == all);
  else if (reduction == Reduction::Or)
    call.put(holding != 0);
  else
    call.put(holding);
}

bool SimBarriers::isComplete(const Barrier &barrier, unsigned live) const {
  size_t there = barrier.waiting.size() + barrier.arrived.size();
  if (barrier.waiting.empty())
    return false;
  return there >= (barrier.expected ? barrier.expected : live);
}

/// Whether a warp does it as one: PTX ISA, "barrier{.cta}", s_barrier, and
/// OpenCL C's barrier.
static bool isOfWarp(const SimSite &site) {
  StringRef text = site.text;
  return text.contains(".aligned") || text.contains("s.barrier") ||
         text.contains("@_Z7barrier");
}

/// A lane of `waiting`'s warp that isn't at its barrier; null: all are. A wave
/// of AMD's counts without the lanes that have ended.
static const SimThread *findMissing(SimBlock &block, const SimThread &waiting) {
  size_t first = size_t(waiting.warp) * block.wave();
  for (const SimThread &lane :
       block.threads().drop_front(first).take_front(block.wave())) {
    bool ended = lane.state == SimThread::State::Done;
    if (ended ? block.chip().isNvidia()
              : lane.state != SimThread::State::AtBarrier ||
                    lane.barrier != waiting.barrier)
      return &lane;
  }
  return nullptr;
}

/// Lanes of a warp must come to an aligned barrier together, at one
/// instruction.
static bool checkAligned(SimBlock &block, ArrayRef<unsigned> waiting) {
  std::vector<const SimThread *> ofWarp(block.threads().size() / block.wave() +
                                        1);
  auto refuse = [&](const SimThread &thread, const Twine &what) {
    block.fail(DiagKind::BackendDivergentCollective, &thread, thread.call.site,
               what);
    return false;
  };
  for (unsigned index : waiting) {
    const SimThread &thread = block.threads()[index];
    const SimThread *&first = ofWarp[thread.warp];
    if (!first) {
      first = &thread;
      const SimThread *missing = findMissing(block, thread);
      if (missing && isOfWarp(*thread.call.site))
        return refuse(thread, "not all threads of its warp come here: lane " +
                                  Twine(missing->lane) + " " +
                                  whereabouts(missing));
    } else if (first->call.site != thread.call.site &&
               isOfWarp(*thread.call.site)) {
      return refuse(thread, "lane " + Twine(first->lane) +
                                " of its warp is at another barrier "
                                "instruction, `" +
                                first->call.site->text + "`");
    }
  }
  return true;
}

void SimBarriers::open(SimBlock &block, Barrier &barrier, unsigned live) {
  std::vector<unsigned> waiting = std::move(barrier.waiting);
  bool everyone = waiting.size() == live && barrier.arrived.empty();
  if (!checkAligned(block, waiting))
    return;
  if (everyone)
    block.clocks().barrier();
  else
    block.clocks().meet(waiting, /*warp=*/false);
  for (unsigned index : waiting) {
    SimThread &thread = block.threads()[index];
    if (!barrier.arrived.empty())
      block.clocks().acquire(index, barrier.released);
    thread.state = SimThread::State::Ready;
    thread.reduced = {barrier.holding, static_cast<unsigned>(waiting.size())};
  }
  barrier = {};
}

bool SimBarriers::complete(SimBlock &block, unsigned live) {
  bool opened = false;
  for (unsigned id = 0; active >> id; ++id)
    if ((active >> id & 1) && isComplete(barriers[id], live)) {
      active &= ~(1u << id);
      open(block, barriers[id], live);
      opened = true;
    }
  return opened;
}

std::string SimBarriers::describeWait(const SimThread &thread,
                                      unsigned live) const {
  const Barrier &barrier = barriers[thread.barrier];
  unsigned expected = barrier.expected ? barrier.expected : live;
  return "it waits for ever at barrier " + std::to_string(thread.barrier) +
         ": " +
         std::to_string(barrier.waiting.size() + barrier.arrived.size()) +
         " of " + std::to_string(expected) + " threads come there";
}

// llvm.nvvm.barrier.cta.*, PTX ISA "barrier{.cta}"; the older barrier0 forms
// are renamed when bitcode is read.

static SimOperation syncAll() {
  return SimOperation::ofThread([](SimThread &thread, const SimCall &call) {
    unsigned id = call.argumentCount() ? call.get<uint32_t>(0) : 0;
    thread.block->barriers().arrive(thread, call, id, 0, true);
  });
}

static SimOperation syncCount(bool waits) {
  return SimOperation::ofThread([=](SimThread &thread, const SimCall &call) {
    unsigned expected = call.get<uint32_t>(1);
    if (expected == 0 || expected % thread.block->wave() != 0)
      return thread.block->fail(
          DiagKind::BackendDeviceFault, &thread, call.site,
          "a barrier of " + Twine(expected) +
              " threads: it must be a multiple of the warp's size");
    thread.block->barriers().arrive(thread, call, call.get<uint32_t>(0),
                                    expected, waits);
  });
}

static SimOperation reduceAll(SimBarriers::Reduction reduction) {
  return SimOperation::ofThread([=](SimThread &thread, const SimCall &call) {
    thread.block->barriers().reduce(thread, call, call.get<uint32_t>(0),
                                    reduction, call.get<uint8_t>(1) & 1);
  });
}

std::optional<SimOperation> lh::findBarrier(const SimOperationName &name,
                                            const SimChip &) {
  using Reduction = SimBarriers::Reduction;
  StringRef text = name.name;
  if (text == "llvm.amdgcn.s.barrier")
    return syncAll();
  if (openClFunction(text) == "barrier") // its argument says what it orders
    return SimOperation::ofThread([](SimThread &thread, const SimCall &call) {
      thread.block->barriers().arrive(thread, call, 0, 0, true);
    });
  if (!text.consume_front("llvm.nvvm.barrier.cta."))
    return std::nullopt;
  text.consume_front("red.");
  if (text.starts_with("sync."))
    return text.ends_with(".all") ? syncAll() : syncCount(true);
  if (text.starts_with("arrive.") && text.ends_with(".count"))
    return syncCount(false);
  if (text.starts_with("and.") && text.ends_with(".all"))
    return reduceAll(Reduction::And);
  if (text.starts_with("or.") && text.ends_with(".all"))
    return reduceAll(Reduction::Or);
  if (text.starts_with("popc.") && text.ends_with(".all"))
    return reduceAll(Reduction::Count);
  return std::nullopt;
}
