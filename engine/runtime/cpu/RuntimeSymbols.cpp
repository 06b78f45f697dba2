// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Run-time support of compiled code.
#include "runtime/cpu/RuntimeSymbols.h"

#include "runtime/cpu/Arena.h"
#include "runtime/cpu/GuardedCall.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace lh;

static void *arenaAllocate(Arena *arena, int64_t size, int64_t alignment) {
  return arena->allocate(static_cast<size_t>(size),
                         static_cast<size_t>(alignment));
}

static void arenaRelease(Arena *arena, void *block) { arena->release(block); }

namespace {
/// MLIR's unranked descriptor: rank and a pointer to
/// {allocated, aligned, offset, sizes[rank], strides[rank]}.
struct UnrankedMemRef {
  int64_t rank;
  int64_t *descriptor;

  std::byte *begin(int64_t elementSize) const {
    return reinterpret_cast<std::byte *>(descriptor[1]) +
           descriptor[2] * elementSize;
  }
  const int64_t *sizes() const { return descriptor + 3; }
  const int64_t *strides() const { return descriptor + 3 + rank; }
};
} // namespace

/// Copies dimension `dim` and below; the innermost contiguous run at once.
static void copyStrided(int64_t elementSize, const UnrankedMemRef &source,
                        const std::byte *from, const UnrankedMemRef &target,
                        std::byte *to, int64_t dim) {
  if (dim == source.rank) {
    std::memcpy(to, from, static_cast<size_t>(elementSize));
    return;
  }
  int64_t size = source.sizes()[dim];
  bool innermost = dim + 1 == source.rank;
  if (innermost && source.strides()[dim] == 1 && target.strides()[dim] == 1) {
    std::memcpy(to, from, static_cast<size_t>(elementSize * size));
    return;
  }
  for (int64_t i = 0; i < size; ++i)
    copyStrided(elementSize, source,
                from + i * source.strides()[dim] * elementSize, target,
                to + i * target.strides()[dim] * elementSize, dim + 1);
}

/// What `memref.copy` between strided buffers is lowered to.
static void copyMemRef(int64_t elementSize, UnrankedMemRef *source,
                       UnrankedMemRef *target) {
  for (int64_t dim = 0; dim < source->rank; ++dim)
    if (source->sizes()[dim] == 0)
      return;
  copyStrided(elementSize, *source, source->begin(elementSize), *target,
              target->begin(elementSize), 0);
}

#if defined(__x86_64__)
// x86 passes and returns every 16-bit float in the low bits of xmm0, which is
// how GCC 12 treats _Float16; it has no bfloat16 type and no such conversions.
static uint16_t roundToBFloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
    return static_cast<uint16_t>((bits >> 16) | 0x40u); // keep it a quiet NaN
  bits += 0x7FFFu + ((bits >> 16) & 1u);                // nearest, ties to even
  return static_cast<uint16_t>(bits >> 16);
}

static _Float16 truncateFloat(float value) {
  return std::bit_cast<_Float16>(roundToBFloat16(value));
}

/// Rounds once: a double between two floats goes to the odd one of them, which
/// the second rounding can't mistake for a tie.
static _Float16 truncateDouble(double value) {
  float nearest = static_cast<float>(value);
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  bool inexact = std::isfinite(nearest) && nearest != value;
  if (inexact && (bits & 1u) == 0)
    bits += std::fabs(nearest) < std::fabs(value) ? 1u : -1u;
  return truncateFloat(std::bit_cast<float>(bits));
}

static float extendHalf(_Float16 value) { return static_cast<float>(value); }
static _Float16 floatToHalf(float value) {
  return static_cast<_Float16>(value);
}
static _Float16 doubleToHalf(double value) {
  return static_cast<_Float16>(value);
}
#endif

template <typename Function>
static RuntimeSymbol symbol(StringRef name, Function *function) {
  return {name, reinterpret_cast<void *>(function)};
}

std::vector<RuntimeSymbol> lh::runtimeSymbols() {
  std::vector<RuntimeSymbol> symbols {
    symbol(arenaAllocateName, arenaAllocate),
        symbol(arenaReleaseName, arenaRelease),
        symbol("memrefCopy", copyMemRef),
#if defined(__x86_64__)
        symbol("__truncsfbf2", truncateFloat),
        symbol("__truncdfbf2", truncateDouble),
        symbol("__extendhfsf2", extendHalf),
        symbol("__truncsfhf2", floatToHalf),
        symbol("__truncdfhf2", doubleToHalf)
#endif
  };
  for (const RuntimeSymbol &each : assertionSymbols())
    symbols.push_back(each);
  return symbols;
}

std::vector<RuntimeSymbol> lh::runtimeSymbols(Arena &arena) {
  std::vector<RuntimeSymbol> symbols = runtimeSymbols();
  symbols.push_back({arenaName, &arena});
  return symbols;
}
