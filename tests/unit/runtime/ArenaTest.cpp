// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The allocator of compiled code.
#include "runtime/cpu/Arena.h"

#include <catch2/catch.hpp>

#include <barrier>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

using namespace lh;

static bool isAligned(const void *block, size_t alignment) {
  return reinterpret_cast<uintptr_t>(block) % alignment == 0;
}

TEST_CASE("blocks are aligned to 64 bytes or what is asked", "[arena]") {
  Arena arena;
  for (size_t size : {size_t(0), size_t(1), size_t(65), size_t(4097)})
    CHECK(isAligned(arena.allocate(size, 1), 64));
  CHECK(isAligned(arena.allocate(100, 4096), 4096));
  CHECK(isAligned(arena.allocate(size_t(3) << 20, 64), 64));
}

TEST_CASE("a released block serves the next request of its size", "[arena]") {
  Arena arena;
  void *first = arena.allocate(1000, 64);
  arena.release(first);
  CHECK(arena.allocate(1000, 64) == first);
  CHECK(arena.allocate(1000, 64) != first);
}

TEST_CASE("live and peak bytes are those asked for", "[arena]") {
  Arena arena;
  void *a = arena.allocate(100, 64);
  void *b = arena.allocate(200, 64);
  arena.release(a);
  CHECK(arena.liveBytes() == 200);
  CHECK(arena.liveBlocks() == 1);
  CHECK(arena.peakBytes() == 300);
  CHECK(arena.owns(b));
  CHECK_FALSE(arena.owns(a));
  arena.reclaim();
  CHECK(arena.liveBytes() == 0);
  arena.release(nullptr);
}

template <typename T> static T first(const void *block) {
  T value;
  std::memcpy(&value, block, sizeof(T));
  return value;
}

TEST_CASE("poison is a NaN of floats, a large integer, even reused",
          "[arena]") {
  Arena arena;
  arena.setPoison(Poison::NotANumber);
  for (int round = 0; round < 2; ++round) {
    void *block = arena.allocate(100, 64);
    CHECK(std::isnan(first<float>(block)));
    CHECK(std::isnan(first<double>(block)));
    CHECK(first<uint16_t>(block) == 0x7FF9); // a NaN of both 16-bit floats
    CHECK(first<int32_t>(block) > 1 << 30);
    CHECK(first<int64_t>(block) > int64_t(1) << 62);
    CHECK(std::isnan(first<float>(static_cast<std::byte *>(block) + 100)));
    std::memset(block, 0, 100);
    arena.release(block);
  }
}

TEST_CASE("the other poison is numbers of both signs", "[arena]") {
  Arena arena;
  arena.setPoison(Poison::Numbers);
  auto *block = static_cast<std::byte *>(arena.allocate(16384, 64));
  bool isPositive = false, isNegative = false;
  for (size_t i = 0; i < 16384; i += 8) {
    CHECK(std::isfinite(first<float>(block + i)));
    CHECK(std::isfinite(first<double>(block + i)));
    CHECK(std::fabs(first<double>(block + i)) > 1e100);
    CHECK(std::to_integer<int>(block[i]) == 0); // false
    (first<int64_t>(block + i) > 0 ? isPositive : isNegative) = true;
    // Filled in pieces, as if byte by byte.
    CHECK(block[i + 7] == poisonAt(Poison::Numbers, i + 7));
  }
  CHECK((isPositive && isNegative));
}

TEST_CASE("writing beside a poisoned block is noticed once", "[arena]") {
  Arena arena;
  arena.setPoison(Poison::NotANumber);
  for (int offset : {-1, 100, 1000}) {
    auto *block = static_cast<unsigned char *>(arena.allocate(100, 64));
    CHECK(isAligned(block, 64));
    block[offset] = 0;
    CHECK_FALSE(arena.takeDamage());
    arena.reclaim();
    CHECK(arena.takeDamage() == size_t(100));
    CHECK_FALSE(arena.takeDamage());
  }
  auto *block = static_cast<unsigned char *>(arena.allocate(100, 4096));
  CHECK(isAligned(block, 4096));
  block[0] = block[99] = 0;
  arena.release(block);
  CHECK_FALSE(arena.takeDamage());
}

TEST_CASE("what threads repeat takes nothing more from the system", "[arena]") {
  Arena arena;
  auto call = [&] {
    std::vector<std::thread> threads;
    std::barrier together(2);
    void *shared = arena.allocate(size_t(3) << 20, 64);
    for (int i = 0; i < 2; ++i)
      threads.emplace_back([&] {
        void *own = arena.allocate(5000, 64);
        together.arrive_and_wait();
        arena.release(own);
      });
    for (std::thread &thread : threads)
      thread.join();
    arena.release(shared);
  };
  call();
  CHECK(arena.freshBlocks() == 3);
  for (int repetition = 0; repetition < 100; ++repetition)
    call();
  CHECK(arena.freshBlocks() == 3);
  CHECK(arena.liveBlocks() == 0);
}

TEST_CASE("one thread at a time has a spin lock", "[arena]") {
  SpinLock lock;
  long counted = 0; // no atomic: the lock guards it
  auto count = [&] {
    for (int i = 0; i < 20000; ++i) {
      std::lock_guard<SpinLock> guard(lock);
      ++counted;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(count);
  for (std::thread &thread : threads)
    thread.join();
  CHECK(counted == 80000);
}
