// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fences hold poison that tells where it stands.
#include "runtime/abi/Fence.h"

#include <cstdint>

using namespace lh;

static constexpr size_t alignment = 64;

/// The poison, but for the three bits of a word that are any NaN's own: they
/// follow from the address, so that a NaN that came from one fence and is
/// written over another isn't taken for what was there.
static std::byte fenceAt(const std::byte *fence, size_t i, Poison poison) {
  std::byte pattern = poisonAt(poison, i);
  if (i % 2)
    return pattern;
  uint64_t mixed = reinterpret_cast<uintptr_t>(fence + i) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93;
  return (pattern & ~std::byte{7}) | std::byte(mixed >> 61);
}

static void raiseFence(std::byte *fence, Poison poison) {
  for (size_t i = 0; i < fenceBytes; ++i)
    fence[i] = fenceAt(fence, i, poison);
}

void lh::raiseFences(std::byte *buffer, size_t size, Poison poison) {
  raiseFence(buffer - fenceBytes, poison);
  raiseFence(buffer + size, poison);
}

static bool fenceStands(const std::byte *fence, Poison poison) {
  for (size_t i = 0; i < fenceBytes; ++i)
    if (fence[i] != fenceAt(fence, i, poison))
      return false;
  return true;
}

bool lh::fencesStand(const std::byte *buffer, size_t size) {
  auto stand = [&](Poison poison) {
    return fenceStands(buffer - fenceBytes, poison) &&
           fenceStands(buffer + size, poison);
  };
  return stand(Poison::NotANumber) || stand(Poison::Numbers);
}

FencedBuffer::FencedBuffer(size_t size, MemorySource &source)
    : bytes(static_cast<std::byte *>(
                source.take(size + 2 * fenceBytes, alignment)),
            Free{&source}),
      count(size) {
  if (!bytes)
    return;
  raise(Poison::NotANumber);
  source.confine(data(), count);
}
