// One pattern for what is not set yet and what is nobody's.
#include "backend/cpu/Fence.h"

#include <new>

using namespace lh;

static constexpr std::align_val_t alignment{64};

/// The words 0x7FF8: all bits of the exponent of any float, the highest that
/// keep an integer positive.
static std::byte patternAt(size_t i) {
  return i % 2 ? std::byte{0x7F} : std::byte{0xF8};
}

void lh::fillWithPoison(std::byte *bytes, size_t size) {
  for (size_t i = 0; i < size; ++i)
    bytes[i] = patternAt(i);
}

void lh::raiseFences(std::byte *buffer, size_t size) {
  fillWithPoison(buffer - fenceBytes, fenceBytes);
  fillWithPoison(buffer + size, fenceBytes);
}

bool lh::fencesStand(const std::byte *buffer, size_t size) {
  auto stands = [](const std::byte *fence) {
    for (size_t i = 0; i < fenceBytes; ++i)
      if (fence[i] != patternAt(i))
        return false;
    return true;
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
