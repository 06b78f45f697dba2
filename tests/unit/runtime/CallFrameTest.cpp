// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a call's results.
#include "runtime/cpu/CallFrame.h"

#include "runtime/cpu/Arena.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace lh;

namespace {
/// The system's memory, counted.
class CountedMemory : public MemorySource {
public:
  void *take(size_t bytes, size_t alignment) override {
    ++blocks;
    return systemMemory().take(bytes, alignment);
  }
  void giveBack(void *block) override {
    --blocks;
    systemMemory().giveBack(block);
  }

  int blocks = 0;
};
} // namespace

TEST_CASE("a frame's last results leave nothing of its own", "[call]") {
  EntryAbi abi;
  abi.results = {{"a", DType::Float32, {1}}, {"b", DType::Float32, {1}}};
  CountedMemory memory;
  CallFrame frame(abi, {}, {}, memory);
  REQUIRE(frame.isUsable());
  frame.poisonResults(Poison::NotANumber);
  Arena arena;
  CollectingSink sink;
  SourceSpan where{"frame", 1, 1, 1};
  auto seen = frame.takeResults(arena, where, sink);
  REQUIRE(succeeded(seen));
  CHECK(memory.blocks == 2);
  auto last = frame.takeLastResults(arena, where, sink);
  REQUIRE(succeeded(last));
  CHECK(memory.blocks == 0);
  REQUIRE(last->size() == 2);
  std::byte poison[4];
  fillWithPoison(poison, 4, Poison::NotANumber);
  for (const Tensor &result : *last)
    CHECK(std::memcmp(result.data(), poison, 4) == 0);
}
