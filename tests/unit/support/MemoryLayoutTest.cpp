// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is in use together lies apart, the rest may share.
#include "core/support/MemoryLayout.h"

#include <catch2/catch.hpp>

#include <random>

using namespace lh;

TEST_CASE("buffers that meet in time don't meet in memory", "[support]") {
  std::mt19937 generator(7);
  auto random = [&] { return static_cast<unsigned>(generator()); };
  for (int round = 0; round < 200; ++round) {
    std::vector<BufferLife> lives(1 + random() % 20);
    for (BufferLife &life : lives) {
      life.bytes = 1 + random() % 1000;
      life.begin = random() % 30;
      life.end = life.begin + random() % 10;
    }
    int64_t alignment = int64_t(1) << (random() % 9);
    MemoryLayout layout = layOut(lives, alignment);
    for (size_t i = 0; i < lives.size(); ++i) {
      int64_t from = layout.offsets[i], to = from + lives[i].bytes;
      CHECK(from % alignment == 0);
      CHECK(to <= layout.bytes);
      for (size_t j = 0; j < i; ++j)
        if (lives[i].begin <= lives[j].end && lives[j].begin <= lives[i].end)
          CHECK((to <= layout.offsets[j] ||
                 layout.offsets[j] + lives[j].bytes <= from));
    }
  }
}

TEST_CASE("a buffer takes the smallest gap that it fits in", "[support]") {
  // Two large ones leave gaps of 100 and of 40 below the one that outlives
  // them.
  MemoryLayout layout =
      layOut({{100, 0, 0}, {90, 0, 9}, {80, 0, 0}, {70, 0, 9}, {30, 5, 9}}, 1);
  CHECK(layout.offsets[1] == 100);
  CHECK(layout.offsets[3] == 270);
  CHECK(layout.offsets[4] == 190); // 80 bytes wide; the gap below 100 is wider
  CHECK(layout.bytes == 340);
}
