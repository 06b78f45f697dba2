// One pattern for what is not set yet and what is nobody's.
#include "backend/cpu/Fence.h"

#include <cstdint>

using namespace lh;

static constexpr size_t alignment = 64;

/// The words 0x7FF8: all bits of the exponent of any float, the highest that
/// keep an integer positive.
static std::byte patternAt(size_t i) {
  return i % 2 ? std::byte{0x7F} : std::byte{0xF8};
}

void lh::fillWithPoison(std::byte *bytes, size_t size) {
  for (size_t i = 0; i < size; ++i)
    bytes[i] = patternAt(i);
}

/// The same words, but for the three bits that are any NaN's own: they follow
/// from the address, so that a NaN that came from one fence and is written over
/// another isn't taken for what was there.
static std::byte fenceAt(const std::byte *fence, size_t i) {
  if (i % 2)
    return patternAt(i);
  uint64_t mixed = reinterpret_cast<uintptr_t>(fence + i) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93;
  return patternAt(i) | std::byte(mixed >> 61);
}

static void raiseFence(std::byte *fence) {
  for (size_t i = 0; i < fenceBytes; ++i)
    fence[i] = fenceAt(fence, i);
}

void lh::raiseFences(std::byte *buffer, size_t size) {
  raiseFence(buffer - fenceBytes);
  raiseFence(buffer + size);
}

bool lh::fencesStand(const std::byte *buffer, size_t size) {
  auto stands = [](const std::byte *fence) {
    for (size_t i = 0; i < fenceBytes; ++i)
      if (fence[i] != fenceAt(fence, i))
        return false;
    return true;
  };
  return stands(buffer - fenceBytes) && stands(buffer + size);
}

FencedBuffer::FencedBuffer(size_t size, MemorySource &source)
    : bytes(static_cast<std::byte *>(
                source.take(size + 2 * fenceBytes, alignment)),
            Free{&source}),
      count(size) {
  if (!bytes)
    return;
  raiseFences(data(), count);
  source.confine(data(), count);
}
