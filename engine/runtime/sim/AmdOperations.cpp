// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between the lanes of a wave, and what wave-wide code asks.
#include "runtime/sim/OperationFamilies.h"

#include "runtime/sim/AmdMatrices.h"
#include "runtime/sim/Block.h"

#include <bit>
#include <cmath>

using namespace lh;

using Reach = SimOperation::Reach;

namespace {
/// The values of argument `argument` of all lanes; 32 bits each.
struct LaneValues {
  LaneValues(const SimGathering &wave, size_t argument)
      : wave(wave), values(wave.size()) {
    for (unsigned lane = 0; lane < wave.size(); ++lane)
      if (wave.lanes[lane])
        values[lane] = wave.get<uint32_t>(lane, argument);
  }
  bool isActive(unsigned lane) const {
    return lane < wave.size() && wave.lanes[lane];
  }

  const SimGathering &wave;
  std::vector<uint32_t> values;
};
} // namespace

/// Calls put(lane) for the lanes that are there.
template <typename Put>
static void forLanes(const SimGathering &wave, Put put) {
  for (unsigned lane = 0; lane < wave.size(); ++lane)
    if (wave.lanes[lane])
      put(lane);
}

static unsigned firstLane(const SimGathering &wave) {
  unsigned lane = 0;
  while (!wave.lanes[lane])
    ++lane;
  return lane;
}

/// ds_bpermute_b32: reads from the lane whose number times 4 it gives; 0 from
/// one that isn't there.
static SimOperation backwardPermute() {
  return SimOperation::of(Reach::Active, [](const SimGathering &wave) {
    LaneValues sources(wave, 1);
    forLanes(wave, [&](unsigned lane) {
      unsigned from = wave.get<uint32_t>(lane, 0) / 4 % wave.size();
      wave.put(lane, sources.isActive(from) ? sources.values[from] : 0u);
    });
  });
}

static SimOperation readLane(bool first) {
  return SimOperation::of(Reach::Active, [=](const SimGathering &wave) {
    LaneValues values(wave, 0);
    forLanes(wave, [&](unsigned lane) {
      unsigned from =
          first ? firstLane(wave) : wave.get<uint32_t>(lane, 1) % wave.size();
      wave.put(lane, values.values[from]);
    });
  });
}

static SimOperation ballot() {
  return SimOperation::of(Reach::Active, [](const SimGathering &wave) {
    uint64_t bits = 0;
    forLanes(wave, [&](unsigned lane) {
      bits |= uint64_t(wave.get<uint8_t>(lane, 0) & 1) << lane;
    });
    forLanes(wave, [&](unsigned lane) { wave.put(lane, bits); });
  });
}

/// Which lane a DPP control reads from (CDNA3 ISA, "DPP_CTRL Enumerations");
/// nothing: outside of its row or wave.
static std::optional<unsigned> dppSource(unsigned control, unsigned lane,
                                         unsigned size) {
  unsigned row = lane & ~15u, inRow = lane & 15;
  auto within = [&](int to) -> std::optional<unsigned> {
    if (to < 0 || to > 15)
      return std::nullopt;
    return row + static_cast<unsigned>(to);
  };
  int place = static_cast<int>(inRow), amount = static_cast<int>(control & 15);
  if (control <= 0xFF) // quad_perm
    return (lane & ~3u) + (control >> (lane & 3) * 2 & 3);
  if (control >= 0x101 && control <= 0x10F) // row_shl
    return within(place + amount);
  if (control >= 0x111 && control <= 0x11F) // row_shr
    return within(place - amount);
  if (control >= 0x121 && control <= 0x12F) // row_ror
    return row + ((inRow + 16 - (control & 15)) & 15);
  if (control == 0x130) // wave_shl
    return lane + 1 < size ? std::optional(lane + 1) : std::nullopt;
  if (control == 0x138) // wave_shr
    return lane ? std::optional(lane - 1) : std::nullopt;
  if (control == 0x140) // row_mirror
    return row + 15 - inRow;
  if (control == 0x141) // row_half_mirror
    return (lane & ~7u) + 7 - (lane & 7);
  if (control == 0x142) // row_bcast15: the last lane of the row before
    return row ? std::optional(row - 1) : std::nullopt;
  if (control == 0x143) // row_bcast31
    return lane >= 32 ? std::optional(31u) : std::nullopt;
  if (control >= 0x150 && control <= 0x15F) // row_share
    return row + (control & 15);
  if (control >= 0x160 && control <= 0x16F) // row_xmask
    return row + (inRow ^ (control & 15));
  return std::nullopt;
}

/// update.dpp(old, source, control, row mask, bank mask, bound control).
static SimOperation dataParallel(bool hasOld) {
  return SimOperation::of(Reach::Active, [=](const SimGathering &wave) {
    size_t source = hasOld ? 1 : 0;
    LaneValues values(wave, source);
    forLanes(wave, [&](unsigned lane) {
      uint32_t old = hasOld ? wave.get<uint32_t>(lane, 0) : 0;
      unsigned rows = wave.get<uint32_t>(lane, source + 2);
      unsigned banks = wave.get<uint32_t>(lane, source + 3);
      bool bounded = wave.get<uint8_t>(lane, source + 4) & 1;
      auto from =
          dppSource(wave.get<uint32_t>(lane, source + 1), lane, wave.size());
      bool written = (rows >> lane / 16 & 1) && (banks >> lane / 4 % 4 & 1);
      bool valid = from && values.isActive(*from);
      uint32_t result = !written  ? old
                        : valid   ? values.values[*from]
                        : bounded ? 0
                                  : old;
      wave.put(lane, result);
    });
  });
}

/// ds_swizzle_b32: LDS section, "swizzle": quads by two bits each, or groups of
/// 32 by and, or and xor masks.
static SimOperation dataSwizzle() {
  return SimOperation::of(Reach::Active, [](const SimGathering &wave) {
    LaneValues values(wave, 0);
    forLanes(wave, [&](unsigned lane) {
      unsigned pattern = wave.get<uint32_t>(lane, 1);
      unsigned from = (lane & ~3u) + (pattern >> (lane & 3) * 2 & 3);
      if (!(pattern & 0x8000))
        from = (lane & ~31u) + (((lane & 31 & pattern) | (pattern >> 5 & 31)) ^
                                (pattern >> 10 & 31));
      wave.put(lane, values.isActive(from) ? values.values[from] : 0u);
    });
  });
}

/// permlane16 and permlanex16(old, source, low, high, ...): lane i of a row
/// reads the lane that nibble i names, of its own or of the other row.
static SimOperation permuteRows(bool crosses) {
  return SimOperation::of(Reach::Active, [=](const SimGathering &wave) {
    LaneValues values(wave, 1);
    forLanes(wave, [&](unsigned lane) {
      uint64_t nibbles = uint64_t(wave.get<uint32_t>(lane, 3)) << 32 |
                         wave.get<uint32_t>(lane, 2);
      unsigned row = (lane & ~15u) ^ (crosses ? 16u : 0u);
      unsigned from =
          row + static_cast<unsigned>(nibbles >> (lane & 15) * 4 & 15);
      wave.put(lane, values.isActive(from) ? values.values[from]
                                           : wave.get<uint32_t>(lane, 0));
    });
  });
}

/// permlane32.swap and permlane16.swap(x, y, ...): odd rows of x trade places
/// with even rows of y.
static SimOperation swapRows(unsigned size) {
  return SimOperation::of(Reach::Active, [=](const SimGathering &wave) {
    LaneValues x(wave, 0), y(wave, 1);
    forLanes(wave, [&](unsigned lane) {
      bool odd = lane / size % 2;
      unsigned other = odd ? lane - size : lane + size;
      wave.put(lane, odd ? y.values[other] : x.values[lane]);
      wave.put(lane, odd ? y.values[lane] : x.values[other], 4);
    });
  });
}

/// mbcnt: how many lanes below this one are in the mask, plus a number.
static SimOperation countBelow(bool high) {
  return SimOperation::ofThread([=](SimThread &thread, const SimCall &call) {
    uint64_t below = (uint64_t(1) << thread.lane) - 1;
    auto part = static_cast<uint32_t>(high ? below >> 32 : below);
    call.put(
        static_cast<uint32_t>(std::popcount(part & call.get<uint32_t>(0))) +
        call.get<uint32_t>(1));
  });
}

static std::optional<SimOperation> findExchange(StringRef text) {
  if (text == "ds.bpermute")
    return backwardPermute();
  if (text.starts_with("readfirstlane"))
    return readLane(/*first=*/true);
  if (text.starts_with("readlane"))
    return readLane(/*first=*/false);
  if (text.starts_with("ballot."))
    return ballot();
  if (text.starts_with("update.dpp."))
    return dataParallel(/*hasOld=*/true);
  if (text.starts_with("mov.dpp."))
    return dataParallel(/*hasOld=*/false);
  if (text == "ds.swizzle")
    return dataSwizzle();
  if (text.starts_with("permlane16.swap"))
    return swapRows(16);
  if (text.starts_with("permlane32.swap"))
    return swapRows(32);
  if (text.starts_with("permlanex16"))
    return permuteRows(/*crosses=*/true);
  if (text.starts_with("permlane16"))
    return permuteRows(/*crosses=*/false);
  if (text == "mbcnt.lo" || text == "mbcnt.hi")
    return countBelow(text == "mbcnt.hi");
  return std::nullopt;
}

std::optional<SimOperation> lh::findAmdOperation(const SimOperationName &name,
                                                 const SimChip &chip) {
  StringRef text = name.name;
  if (auto matrix = findAmdMatrix(name, chip))
    return matrix;
  if (chip.isNvidia() || !text.consume_front("llvm.amdgcn."))
    return std::nullopt;
  return findExchange(text);
}
