// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes of both fillings.
#include "runtime/abi/Poison.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

using namespace lh;

static constexpr size_t pieceBytes = 4096;

/// The signs of large numbers follow the sequence of Thue and Morse, which no
/// row or column repeats.
static constexpr bool isNegative(size_t i) { return std::popcount(i / 8) % 2; }

/// Of each four bytes, the upper two are large: so is a number of any width
/// from 32 bits on; of narrower ones every other is 0.
static constexpr std::byte byteAt(Poison poison, size_t i) {
  if (poison == Poison::NotANumber)
    return i % 2 ? std::byte{0x7F} : std::byte{0xF9};
  if (i % 4 < 2)
    return std::byte{0};
  return isNegative(i) ? std::byte{0xDC} : std::byte{0x5C};
}

std::byte lh::poisonAt(Poison poison, size_t i) { return byteAt(poison, i); }

using Piece = std::array<std::byte, pieceBytes>;

static constexpr Piece pieceAt(Poison poison, size_t begin) {
  Piece piece{};
  for (size_t i = 0; i < pieceBytes; ++i)
    piece[i] = byteAt(poison, begin + i);
  return piece;
}

void lh::fillWithPoison(std::byte *bytes, size_t size, Poison poison) {
  static constexpr Piece nan = pieceAt(Poison::NotANumber, 0);
  // The second piece has the opposite signs, and every later one is either.
  static constexpr Piece first = pieceAt(Poison::Numbers, 0);
  static constexpr Piece second = pieceAt(Poison::Numbers, pieceBytes);
  for (size_t i = 0; i < size; i += pieceBytes) {
    const Piece &numbers = isNegative(i) ? second : first;
    const Piece &piece = poison == Poison::NotANumber ? nan : numbers;
    std::memcpy(bytes + i, piece.data(), std::min(pieceBytes, size - i));
  }
}
