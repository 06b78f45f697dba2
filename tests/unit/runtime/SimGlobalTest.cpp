// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global memory: its bounds, and who may touch the same byte of it.
#include "SimTestSupport.h"

#include "runtime/abi/Fence.h"
#include "runtime/cpu/Arena.h"
#include "runtime/gpu/DeviceMemory.h"

#include <catch2/catch.hpp>

using namespace lh;
using Catch::Matchers::Contains;

/// %i is the thread's index, %b the block's; the body ends with "ret void".
static std::string kernel(StringRef body) {
  return nvptxKernel("ptr addrspace(1) %out",
                     "%i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                     "%b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n" +
                         body + "ret void");
}

/// Adds one to word %k: the update that is lost when two do it at once.
static std::string update(StringRef k) {
  return ("%at = getelementptr i32, ptr addrspace(1) %out, i32 " + k +
          "\n%old = load i32, ptr addrspace(1) %at\n%new = add i32 %old, 1\n"
          "store i32 %new, ptr addrspace(1) %at\n")
      .str();
}

/// What `blocks` blocks of 32 threads are found to do.
static std::string found(StringRef body, unsigned blocks, uint64_t seed = 0,
                         unsigned workers = 1) {
  SimFixture fixture(kernel(body), "sm_90a", seed, workers);
  LaunchShape shape;
  shape.grid = {blocks, 1, 1};
  shape.block = {32, 1, 1};
  return fixture.launch(shape, {fixture.zeros<uint32_t>(1024)});
}

TEST_CASE("threads of a block that update one word race", "[sim]") {
  CHECK(found(update("%i"), 1) == "");
  for (uint64_t seed = 0; seed < 4; ++seed)
    CHECK_THAT(found("%k = lshr i32 %i, 1\n" + update("%k"), 1, seed),
               Contains("[backend-data-race] kernel 'k', block (0, 0, 0), "
                        "thread (") &&
                   Contains("of an allocation of 4096 bytes without a barrier "
                            "after thread "));
}

TEST_CASE("a barrier orders what threads do to global memory", "[sim]") {
  // Each thread takes what the one beside it put.
  auto neighbours = [](StringRef between) {
    return "%mine = getelementptr i32, ptr addrspace(1) %out, i32 %i\n"
           "store i32 %i, ptr addrspace(1) %mine\n" +
           between.str() +
           "%o = xor i32 %i, 1\n"
           "%other = getelementptr i32, ptr addrspace(1) %out, i32 %o\n"
           "%v = load i32, ptr addrspace(1) %other\n"
           "%far = add i32 %i, 512\n"
           "%to = getelementptr i32, ptr addrspace(1) %out, i32 %far\n"
           "store i32 %v, ptr addrspace(1) %to\n";
  };
  CHECK(found(neighbours(barrier), 1) == "");
  CHECK_THAT(found(neighbours(""), 1),
             Contains("[backend-data-race]") &&
                 Contains("without a barrier after thread "));
}

TEST_CASE("all that a block touches is known, however much it is", "[sim]") {
  // Each of 1024 threads writes a line of its own and reads the one beside it.
  auto text = [](StringRef between) {
    return kernel(("%mine = mul i32 %i, 16\n"
                   "%at = getelementptr i32, ptr addrspace(1) %out, i32 %mine\n"
                   "store i32 %i, ptr addrspace(1) %at\n" +
                   between +
                   "%o = xor i32 %i, 1\n%other = mul i32 %o, 16\n"
                   "%from = getelementptr i32, ptr addrspace(1) %out, i32 "
                   "%other\n"
                   "%v = load volatile i32, ptr addrspace(1) %from\n")
                      .str());
  };
  SimFixture ordered(text(barrier)), racing(text(""));
  CHECK(ordered.launch(1024, {ordered.zeros<uint32_t>(1024 * 16)}) == "");
  CHECK_THAT(racing.launch(1024, {racing.zeros<uint32_t>(1024 * 16)}),
             Contains("[backend-data-race]"));
}

TEST_CASE("threads may write bytes of one word, and read the same", "[sim]") {
  CHECK(found("%at = getelementptr i8, ptr addrspace(1) %out, i32 %i\n"
              "store i8 1, ptr addrspace(1) %at\n"
              "%far = getelementptr i32, ptr addrspace(1) %out, i32 700\n"
              "%v = load volatile i32, ptr addrspace(1) %far\n",
              1) == "");
}

TEST_CASE("blocks that update one word race, on any number of cores", "[sim]") {
  std::string apart = "%first = mul i32 %b, 32\n%k = add i32 %first, %i\n";
  std::string together = "%first = mul i32 %b, 31\n%k = add i32 %first, %i\n";
  for (unsigned workers : {1u, 4u}) {
    CHECK(found(apart + update("%k"), 32, 0, workers) == "");
    // Block 1 begins where block 0 ends; whoever is faster, it comes later.
    CHECK_THAT(found(together + update("%k"), 32, 0, workers),
               Contains("[backend-data-race] kernel 'k', block (1, 0, 0), "
                        "thread (0, 0, 0): writes byte 124 of an allocation of "
                        "4096 bytes, which another block of the launch writes: "
                        "nothing orders blocks, at `store i32 %new"));
  }
}

TEST_CASE("a block may not read what another one writes", "[sim]") {
  // All threads read the first word; one of block 3 writes it.
  std::string body = R"(
  %v = load volatile i32, ptr addrspace(1) %out
  %c = icmp eq i32 %b, 3
  %f = icmp eq i32 %i, 5
  %w = and i1 %c, %f
  )" + std::string(barrier) +
                     R"(
  br i1 %w, label %write, label %end
write:
  store i32 1, ptr addrspace(1) %out
  br label %end
end:
)";
  CHECK(found(body, 3) == "");
  CHECK_THAT(found(body, 8),
             Contains("block (3, 0, 0), thread (5, 0, 0): writes byte 0 of an "
                      "allocation of 4096 bytes, which another block of the "
                      "launch reads"));
  // In the other order it is block 2 that comes later.
  CHECK_THAT(found(body, 4, 1), Contains("block (2, 0, 0), thread (") &&
                                    Contains("reads byte 0") &&
                                    Contains("launch writes"));
}

TEST_CASE("blocks that atomics may order aren't compared", "[sim]") {
  CHECK(found("%n = atomicrmw add ptr addrspace(1) %out, i32 1 monotonic\n",
              16) == "");
  // Who is last among them, by their count, may read what the others wrote.
  CHECK(found(R"(
  %far = getelementptr i32, ptr addrspace(1) %out, i32 64
  %mine = getelementptr i32, ptr addrspace(1) %far, i32 %b
  %f = icmp eq i32 %i, 0
  br i1 %f, label %one, label %end
one:
  store i32 1, ptr addrspace(1) %mine
  %n = atomicrmw add ptr addrspace(1) %out, i32 1 monotonic
  %l = icmp eq i32 %n, 15
  br i1 %l, label %last, label %end
last:
  %v = load volatile i32, ptr addrspace(1) %far
  br label %end
end:
)",
              16) == "");
}

/// Every thread reads its word.
static const std::string readAll =
    "%at = getelementptr i32, ptr addrspace(1) %out, i32 %i\n"
    "%v = load volatile i32, ptr addrspace(1) %at\n";

TEST_CASE("a fenced buffer on the device ends where its bytes do", "[sim]") {
  CollectingSink sink;
  SimFixture fixture(kernel(readAll));
  DeviceMemory memory;
  memory.attach(&fixture.device(), &sink);
  FencedBuffer enough(32 * 4, memory), less(31 * 4, memory);
  CHECK(fixture.launch(32, {enough.data()}) == "");
  CHECK_THAT(fixture.launch(32, {less.data()}),
             Contains("[backend-out-of-bounds]") &&
                 Contains("thread (31, 0, 0): reads 4 bytes at an address 0 "
                          "bytes past the end of an allocation of 124 bytes"));
  CHECK_THAT(fixture.launch(1, {enough.data() - 4}),
             Contains("4 bytes before the begin"));
}

TEST_CASE("so do the blocks that host code allocates, until freed", "[sim]") {
  CollectingSink sink;
  SimFixture fixture(kernel(readAll));
  DeviceMemory memory;
  memory.attach(&fixture.device(), &sink);
  Arena arena(memory);
  for (std::optional<Poison> poison :
       {std::optional<Poison>(), std::optional(Poison::NotANumber)}) {
    arena.setPoison(poison);
    void *block = arena.allocate(31 * 4, 64);
    CHECK(fixture.launch(31, {block}) == "");
    CHECK_THAT(fixture.launch(32, {block}),
               Contains("[backend-out-of-bounds]"));
    arena.release(block);
    CHECK_THAT(fixture.launch(1, {block}), Contains("[backend-out-of-bounds]"));
  }
}
