// Global memory: its bounds.
#include "SimTestSupport.h"

#include "backend/cpu/Arena.h"
#include "backend/cpu/Fence.h"
#include "backend/gpu/DeviceMemory.h"

#include <catch2/catch.hpp>

using namespace lh;
using Catch::Matchers::Contains;

/// %i is the thread's index, %b the block's; the body ends with "ret void".
static std::string kernel(StringRef body) {
  return nvptxKernel("ptr addrspace(1) %out",
                     ("%i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                      "%b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n" +
                      body + "ret void")
                         .str());
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
