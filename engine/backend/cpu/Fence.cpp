// Fences are filled with a pattern that no plausible write leaves as it was.
#include "backend/cpu/Fence.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace lh;

static constexpr std::align_val_t alignment{64};
static constexpr std::byte pattern{0xA7};

void lh::raiseFences(std::byte *buffer, size_t size) {
  std::memset(buffer - fenceBytes, int(pattern), fenceBytes);
  std::memset(buffer + size, int(pattern), fenceBytes);
}

bool lh::fencesStand(const std::byte *buffer, size_t size) {
  auto stands = [](const std::byte *fence) {
    return std::all_of(fence, fence + fenceBytes,
                       [](std::byte byte) { return byte == pattern; });
  };
  return stands(buffer - fenceBytes) && stands(buffer + size);
}

FencedBuffer::FencedBuffer(size_t size)
    : bytes(static_cast<std::byte *>(
          ::operator new(size + 2 * fenceBytes, alignment))),
      count(size) {
  raiseFences(data(), count);
}

void FencedBuffer::Free::operator()(std::byte *bytes) const {
  ::operator delete(bytes, alignment);
}
