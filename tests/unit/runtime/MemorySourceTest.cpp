// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of the system's memory, and what lies in one.
#include "runtime/abi/MemorySource.h"
#include "runtime/cpu/PreparedWeights.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

using namespace lh;

static constexpr size_t mebibyte = size_t{1} << 20;

static uintptr_t addressOf(const void *block) {
  return reinterpret_cast<uintptr_t>(block);
}

TEST_CASE("blocks are aligned, lie apart and keep what is written",
          "[memory]") {
  MemorySource &memory = systemMemory();
  const std::vector<std::pair<size_t, size_t>> wanted = {{0, 64},
                                                         {1, 64},
                                                         {100, 4096},
                                                         {5000, 64},
                                                         {mebibyte, 64},
                                                         {mebibyte, 1},
                                                         {9 * mebibyte, 64},
                                                         {64, 2 * mebibyte},
                                                         {7 * mebibyte, 64},
                                                         {7 * mebibyte, 64},
                                                         {7 * mebibyte, 64},
                                                         {7 * mebibyte, 64},
                                                         {7 * mebibyte, 64}};
  std::vector<std::byte *> blocks;
  for (auto [i, each] : llvm::enumerate(wanted)) {
    auto *block =
        static_cast<std::byte *>(memory.take(each.first, each.second));
    REQUIRE(block);
    CHECK(addressOf(block) % each.second == 0);
    std::memset(block, static_cast<int>(i), each.first);
    blocks.push_back(block);
  }
  for (auto [i, each] : llvm::enumerate(wanted))
    for (size_t at = 0; at < each.first; at += 997)
      REQUIRE(blocks[i][at] == std::byte(i));
  for (std::byte *block : blocks)
    memory.giveBack(block);
}

TEST_CASE("small blocks share huge pages", "[memory]") {
  MemorySource &memory = systemMemory();
  void *first = memory.take(mebibyte / 2, 64);
  void *second = memory.take(mebibyte / 2, 64);
  CHECK(addressOf(second) - addressOf(first) == mebibyte / 2);
  memory.giveBack(first);
  memory.giveBack(second);
  // Nobody has a part of the slab any more.
  void *again = memory.take(mebibyte / 2, 64);
  CHECK(again <= first);
  memory.giveBack(again);
}

TEST_CASE("threads take and give back at once", "[memory]") {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      for (size_t round = 0; round < 200; ++round) {
        size_t size =
            1 + (round * 7919 + static_cast<size_t>(i)) % (2 * mebibyte);
        auto *block = static_cast<std::byte *>(systemMemory().take(size, 64));
        block[0] = block[size - 1] = std::byte(i);
        systemMemory().giveBack(block);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_CASE("prepared weights are what was made", "[memory]") {
  std::vector<Tensor> tensors;
  for (int64_t size : {int64_t(3), int64_t(0), int64_t(1000)}) {
    Tensor &tensor =
        tensors.emplace_back(DType::Float32, std::vector<int64_t>{size, 2});
    for (int64_t i = 0; i < 2 * size; ++i)
      tensor.set(i, static_cast<double>(size + i));
  }
  PreparedWeights weights(std::move(tensors));
  CHECK(weights.shape(2) == ArrayRef<int64_t>({1000, 2}));
  CHECK(weights.shape(1) == ArrayRef<int64_t>({0, 2}));
  const auto *first = reinterpret_cast<const float *>(weights.data(0));
  const auto *last = reinterpret_cast<const float *>(weights.data(2));
  CHECK(first[5] == 8);
  CHECK(last[0] == 1000);
  CHECK(last[1999] == 2999);
  CHECK(addressOf(last) % 64 == 0);
}
