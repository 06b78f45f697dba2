// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, "Parallel Synchronization and Communication Instructions".
#include "runtime/sim/OperationFamilies.h"

#include "runtime/sim/Block.h"

#include <bit>
#include <functional>

using namespace lh;

using Reach = SimOperation::Reach;

/// Bits of the lanes for which `holds`.
static uint32_t ballot(const SimGathering &lanes,
                       llvm::function_ref<bool(unsigned)> holds) {
  uint32_t bits = 0;
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    if (lanes.lanes[lane] && holds(lane))
      bits |= 1u << lane;
  return bits;
}

template <typename T>
static void putAll(const SimGathering &lanes, T value, size_t offset = 0) {
  for (unsigned lane = 0; lane < lanes.size(); ++lane)
    if (lanes.lanes[lane])
      lanes.put(lane, value, offset);
}

namespace {
/// From which lane one reads: PTX ISA, "shfl.sync".
struct ShuffleSource {
  unsigned lane;
  bool inRange;
};
enum class ShuffleMode { Up, Down, Butterfly, Index };
} // namespace

static ShuffleSource shuffleSource(ShuffleMode mode, unsigned lane,
                                   uint32_t amount, uint32_t bounds) {
  uint32_t segment = bounds >> 8 & 31, clamp = bounds & 31;
  uint32_t distance = amount & 31;
  int last = static_cast<int>((lane & segment) | (clamp & ~segment));
  int first = static_cast<int>(lane & segment);
  int from = 0;
  bool inRange = false;
  switch (mode) {
  case ShuffleMode::Up:
    from = static_cast<int>(lane) - static_cast<int>(distance);
    inRange = from >= last;
    break;
  case ShuffleMode::Down:
    from = static_cast<int>(lane + distance);
    inRange = from <= last;
    break;
  case ShuffleMode::Butterfly:
    from = static_cast<int>(lane ^ distance);
    inRange = from <= last;
    break;
  case ShuffleMode::Index:
    from = first | static_cast<int>(distance & ~segment);
    inRange = from <= last;
    break;
  }
  return {inRange ? static_cast<unsigned>(from) : lane, inRange};
}

static SimOperation shuffle(ShuffleMode mode, bool withPredicate) {
  return SimOperation::of(Reach::Members, [=](const SimGathering &lanes) {
    std::array<uint32_t, warpLanes> values = {};
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      if (lanes.lanes[lane])
        values[lane] = lanes.get<uint32_t>(lane, 1);
    for (unsigned lane = 0; lane < warpLanes; ++lane) {
      if (!lanes.lanes[lane])
        continue;
      auto [from, inRange] =
          shuffleSource(mode, lane, lanes.get<uint32_t>(lane, 2),
                        lanes.get<uint32_t>(lane, 3));
      if (!lanes.lanes[from])
        return lanes.block.fail(DiagKind::BackendDivergentCollective,
                                lanes.lanes[lane], lanes.call(lane).site,
                                "it reads from lane " + Twine(from) +
                                    ", which doesn't take part");
      lanes.put(lane, values[from]);
      if (withPredicate)
        lanes.put<uint8_t>(lane, inRange, 4);
    }
  });
}

static std::optional<SimOperation> findShuffle(StringRef text) {
  constexpr struct {
    StringRef name;
    ShuffleMode mode;
  } modes[] = {{"up.", ShuffleMode::Up},
               {"down.", ShuffleMode::Down},
               {"bfly.", ShuffleMode::Butterfly},
               {"idx.", ShuffleMode::Index}};
  for (const auto &known : modes)
    if (text.consume_front(known.name)) {
      if (text == "i32" || text == "f32")
        return shuffle(known.mode, false);
      if (text == "i32p" || text == "f32p")
        return shuffle(known.mode, true);
    }
  return std::nullopt;
}

static std::optional<SimOperation> findVote(StringRef text) {
  enum class Vote { All, Any, Uniform, Ballot };
  constexpr struct {
    StringRef name;
    Vote vote;
  } votes[] = {{"all.sync", Vote::All},
               {"any.sync", Vote::Any},
               {"uni.sync", Vote::Uniform},
               {"ballot.sync", Vote::Ballot}};
  for (const auto &known : votes)
    if (text == known.name) {
      Vote vote = known.vote;
      return SimOperation::of(
          Reach::Members, [vote](const SimGathering &lanes) {
            uint32_t there = ballot(lanes, [](unsigned) { return true; });
            uint32_t holding = ballot(lanes, [&](unsigned lane) {
              return lanes.get<uint8_t>(lane, 1) & 1;
            });
            bool all = holding == there, any = holding != 0;
            uint32_t result = vote == Vote::Ballot ? holding
                              : vote == Vote::All  ? all
                              : vote == Vote::Any  ? any
                                                   : (all || !any);
            putAll(lanes, result);
          });
    }
  return std::nullopt;
}

template <typename T, typename Combine>
static SimOperation reduction(Combine combine) {
  return SimOperation::of(
      Reach::Members,
      [=](const SimGathering &lanes) {
        std::optional<T> result;
        for (unsigned lane = 0; lane < warpLanes; ++lane)
          if (lanes.lanes[lane]) {
            T value = lanes.get<T>(lane, 0);
            result = result ? combine(*result, value) : value;
          }
        putAll(lanes, *result);
      },
      /*maskArgument=*/1);
}

static std::optional<SimOperation> findReduction(StringRef text) {
  auto least = [](auto a, auto b) { return a < b ? a : b; };
  auto most = [](auto a, auto b) { return a < b ? b : a; };
  if (text == "add")
    return reduction<uint32_t>(std::plus<>());
  if (text == "umin")
    return reduction<uint32_t>(least);
  if (text == "umax")
    return reduction<uint32_t>(most);
  if (text == "min")
    return reduction<int32_t>(least);
  if (text == "max")
    return reduction<int32_t>(most);
  if (text == "and")
    return reduction<uint32_t>(std::bit_and<>());
  if (text == "or")
    return reduction<uint32_t>(std::bit_or<>());
  if (text == "xor")
    return reduction<uint32_t>(std::bit_xor<>());
  if (text == "fmin")
    return reduction<float>(least);
  if (text == "fmax")
    return reduction<float>(most);
  return std::nullopt;
}

template <typename T> static SimOperation matchAny() {
  return SimOperation::of(Reach::Members, [](const SimGathering &lanes) {
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      if (lanes.lanes[lane])
        lanes.put(lane, ballot(lanes, [&](unsigned other) {
                    return lanes.get<T>(other, 1) == lanes.get<T>(lane, 1);
                  }));
  });
}

static SimOperation electLane() {
  return SimOperation::of(Reach::Members, [](const SimGathering &lanes) {
    uint32_t there = ballot(lanes, [](unsigned) { return true; });
    unsigned leader = static_cast<unsigned>(std::countr_zero(there));
    putAll(lanes, leader);
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      if (lanes.lanes[lane])
        lanes.put<uint8_t>(lane, lane == leader, 4);
  });
}

std::optional<SimOperation> lh::findWarpOperation(const SimOperationName &name,
                                                  const SimChip &) {
  StringRef text = name.name;
  if (!text.consume_front("llvm.nvvm."))
    return std::nullopt;
  if (text.consume_front("shfl.sync."))
    return findShuffle(text);
  if (text.consume_front("vote."))
    return findVote(text);
  if (text.consume_front("redux.sync."))
    return findReduction(text);
  if (text == "match.any.sync.i32")
    return matchAny<uint32_t>();
  if (text == "match.any.sync.i64")
    return matchAny<uint64_t>();
  if (text == "bar.warp.sync")
    return SimOperation::of(Reach::Members, [](const SimGathering &) {});
  if (text == "elect.sync")
    return electLane();
  if (text == "activemask")
    return SimOperation::of(Reach::Active, [](const SimGathering &lanes) {
      putAll(lanes, ballot(lanes, [](unsigned) { return true; }));
    });
  return std::nullopt;
}
