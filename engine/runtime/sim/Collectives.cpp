// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers lanes by mask, warp or warpgroup.
#include "runtime/sim/Collectives.h"

using namespace lh;

using Reach = SimOperation::Reach;
using State = SimThread::State;

SimCall SimGathering::call(unsigned lane) const { return lanes[lane]->call; }

static constexpr unsigned warpsOfGroup = 4;

/// The threads of `warps` warps from `warp` on; null beyond the block's end.
static SimGathering lanesOf(SimBlock &block, unsigned warp, unsigned warps) {
  SimGathering gathering{block, {}};
  unsigned first = warp * block.wave();
  for (unsigned i = 0; i < warps * block.wave(); ++i)
    gathering.lanes.push_back(first + i < block.threads().size()
                                  ? &block.threads()[first + i]
                                  : nullptr);
  return gathering;
}

static void perform(const SimGathering &gathering,
                    const SimOperation &operation) {
  // That four warps have come is how a warpgroup's operation is simulated; what
  // one of them did before is not known to the others by it.
  unsigned wave = gathering.block.wave();
  for (size_t first = 0; first < gathering.lanes.size(); first += wave) {
    llvm::SmallVector<unsigned, 64> actors;
    for (size_t i = first; i < first + wave; ++i)
      if (SimThread *thread = gathering.lanes[i])
        actors.push_back(thread->index);
    gathering.block.clocks().meet(actors, /*warp=*/true);
  }
  operation.lanes(gathering);
  for (SimThread *thread : gathering.lanes)
    if (thread)
      thread->state = State::Ready;
}

/// Whether `thread` can't come to a collective that its warp waits at: it has
/// ended, or waits at another one.
static bool cannotCome(const SimThread *thread, const SimThread &waiting) {
  if (!thread || thread->state == State::Done)
    return true;
  return thread->state == State::AtCollective &&
         thread->call.site != waiting.call.site &&
         (thread->call.site->operation->reach == Reach::Warp ||
          thread->call.site->operation->reach == Reach::Warpgroup);
}

static bool fireWhole(SimBlock &block, SimThread &waiting) {
  const SimOperation &operation = *waiting.call.site->operation;
  bool group = operation.reach == Reach::Warpgroup;
  unsigned warp =
      group ? waiting.warp / warpsOfGroup * warpsOfGroup : waiting.warp;
  SimGathering gathering = lanesOf(block, warp, group ? warpsOfGroup : 1);
  bool complete = true;
  for (SimThread *thread : gathering.lanes) {
    if (cannotCome(thread, waiting)) {
      block.fail(DiagKind::BackendDivergentCollective, &waiting,
                 waiting.call.site, describeMissingLanes(block, waiting));
      return true;
    }
    complete &= thread->state == State::AtCollective &&
                thread->call.site == waiting.call.site;
  }
  if (complete)
    perform(gathering, operation);
  return complete;
}

static bool fireMembers(SimBlock &block, SimThread &waiting) {
  const SimOperation &operation = *waiting.call.site->operation;
  uint32_t mask = waiting.call.get<uint32_t>(operation.maskArgument);
  if (!(mask >> waiting.lane & 1)) {
    block.fail(
        DiagKind::BackendDivergentCollective, &waiting, waiting.call.site,
        "its lane " + Twine(waiting.lane) + " isn't in the mask that it gives");
    return true;
  }
  SimGathering gathering = lanesOf(block, waiting.warp, 1);
  for (unsigned lane = 0; lane < gathering.size(); ++lane) {
    SimThread *&thread = gathering.lanes[lane];
    bool wanted = lane < 32 && (mask >> lane & 1);
    if (!wanted || !thread || thread->state == State::Done) {
      thread = nullptr;
      continue;
    }
    if (thread->state != State::AtCollective ||
        thread->call.site->operation != &operation ||
        thread->call.get<uint32_t>(operation.maskArgument) != mask)
      return false;
  }
  perform(gathering, operation);
  return true;
}

/// Lanes that are at one instruction; false when others of the warp, which
/// haven't ended, are elsewhere and `partial` isn't allowed.
static bool fireActive(SimBlock &block, SimThread &waiting, bool partial) {
  SimGathering gathering = lanesOf(block, waiting.warp, 1);
  for (SimThread *&thread : gathering.lanes) {
    bool here = thread && thread->state == State::AtCollective &&
                thread->call.site == waiting.call.site;
    if (!here && thread && thread->state != State::Done && !partial)
      return false;
    if (!here)
      thread = nullptr;
  }
  perform(gathering, *waiting.call.site->operation);
  return true;
}

static bool fire(SimBlock &block, SimThread &waiting) {
  switch (waiting.call.site->operation->reach) {
  case Reach::Members:
    return fireMembers(block, waiting);
  case Reach::Active:
    return fireActive(block, waiting, /*partial=*/false);
  default:
    return fireWhole(block, waiting);
  }
}

bool lh::fireCollectives(SimBlock &block, unsigned warp) {
  bool fired = false;
  unsigned first = warp * block.wave();
  unsigned last = std::min<unsigned>(
      first + block.wave(), static_cast<unsigned>(block.threads().size()));
  for (unsigned i = first; i < last && !block.hasFailed(); ++i)
    if (block.threads()[i].state == State::AtCollective)
      fired |= fire(block, block.threads()[i]);
  return fired;
}

bool lh::fireActiveLanes(SimBlock &block, unsigned warp) {
  SimThread *earliest = nullptr;
  for (SimThread &thread : block.threads())
    if (thread.warp == warp && thread.state == State::AtCollective &&
        thread.call.site->operation->reach == Reach::Active &&
        (!earliest || thread.call.site->order < earliest->call.site->order))
      earliest = &thread;
  // Lanes meet again after a branch: those behind must come up first.
  return earliest && fireActive(block, *earliest, /*partial=*/true);
}

std::string lh::whereabouts(const SimThread *thread) {
  if (!thread)
    return "isn't in the block";
  switch (thread->state) {
  case State::Done:
    return "has ended";
  case State::AtBarrier:
    return "waits at barrier " + std::to_string(thread->barrier);
  case State::Polling:
    return "is in a loop";
  default:
    return thread->call.site ? "is at `" + thread->call.site->text + "`"
                             : "hasn't come";
  }
}

std::string lh::describeMissingLanes(SimBlock &block, const SimThread &thread) {
  bool group = thread.call.site->operation->reach == Reach::Warpgroup;
  SimGathering gathering = lanesOf(
      block, group ? thread.warp / warpsOfGroup * warpsOfGroup : thread.warp,
      group ? warpsOfGroup : 1);
  for (unsigned lane = 0; lane < gathering.size(); ++lane) {
    const SimThread *other = gathering.lanes[lane];
    if (!other || other->state != State::AtCollective ||
        other->call.site != thread.call.site)
      return "not all threads of its " +
             std::string(group ? "warpgroup" : "warp") + " come here: lane " +
             std::to_string(lane) + " " + whereabouts(other);
  }
  return "the lanes of its warp come here with different masks";
}
