// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads, barriers, memory: what every kernel relies on.
#include "SimTestSupport.h"

#include <catch2/catch.hpp>

using namespace lh;
using Catch::Matchers::Contains;

TEST_CASE("a thread knows its place in the grid", "[sim]") {
  SimFixture fixture(nvptxKernel("ptr addrspace(1) %out", R"(
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %first = mul i32 %b, %n
  %i = add i32 %first, %t
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %i, ptr addrspace(1) %at
  ret void)"),
                     "sm_80", 0, 2);
  uint32_t *out = fixture.zeros<uint32_t>(12);
  LaunchShape shape;
  shape.grid = {1, 1, 3};
  shape.block = {1, 4, 1};
  CHECK(fixture.launch(shape, {out}) == "");
  for (uint32_t i = 0; i < 12; ++i)
    CHECK(out[i] == i);
}

/// Each thread takes what the next one put into shared memory.
static std::string neighbours(StringRef barrier) {
  return perThread("\
  %put = getelementptr i32, ptr addrspace(3) @s, i32 %i\n\
  store i32 %i, ptr addrspace(3) %put\n" +
                       barrier + "\n\
  %next = add i32 %i, 1\n\
  %other = and i32 %next, 63\n\
  %get = getelementptr i32, ptr addrspace(3) @s, i32 %other\n\
  %v = load i32, ptr addrspace(3) %get\n\
  store i32 %v, ptr addrspace(1) %mine\n\
  ret void",
                   "@s = internal addrspace(3) global [64 x i32] undef");
}

TEST_CASE("a barrier orders what threads do to shared memory", "[sim]") {
  CHECK(firstFinding(neighbours(barrier), 64, 64) == "");
  SimFixture fixture(neighbours(barrier), "sm_90", 7);
  uint32_t *out = fixture.zeros<uint32_t>(64);
  CHECK(fixture.launch(64, {out}) == "");
  CHECK(out[0] == 1);
  CHECK(out[63] == 0);
}

TEST_CASE("without a barrier it is a race, whatever the seed", "[sim]") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SimFixture fixture(neighbours(""), "sm_90", seed);
    CHECK_THAT(fixture.launch(64, {fixture.zeros<uint32_t>(64)}),
               Contains("[backend-data-race] kernel 'k', block (0, 0, 0), "
                        "thread (") &&
                   Contains("of shared memory") && Contains("addrspace(3)"));
  }
}

TEST_CASE("a barrier of the warp doesn't order other warps", "[sim]") {
  CHECK_THAT(firstFinding(neighbours("call void @llvm.nvvm.bar.warp.sync(i32 "
                                     "-1)"),
                          64, 64),
             Contains("[backend-data-race]"));
}

TEST_CASE("halves of a word are two places", "[sim]") {
  CHECK(firstFinding(perThread(R"(
  %put = getelementptr i16, ptr addrspace(3) @s, i32 %i
  store i16 1, ptr addrspace(3) %put
  ret void)",
                               "@s = internal addrspace(3) global [64 x i16] "
                               "undef"),
                     64, 64) == "");
}

/// Thread 0 stores, %update comes, all threads add.
static std::string counter(StringRef update, StringRef order) {
  return perThread(R"(
  %first = icmp eq i32 %i, 0
  br i1 %first, label %set, label %meet
set:
  store i32 0, ptr addrspace(3) @s
  )" + update.str() + R"(
  br label %meet
meet:
  )" + order.str() + R"(
  %old = atomicrmw add ptr addrspace(3) @s, i32 1 monotonic
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %all = load i32, ptr addrspace(3) @s
  store i32 %all, ptr addrspace(1) %mine
  ret void)",
                   "@s = internal addrspace(3) global i32 undef");
}

static const std::string everyone =
    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";

TEST_CASE("atomics don't race with each other", "[sim]") {
  std::string text = counter("", everyone);
  CHECK(firstFinding(text, 96, 96) == "");
  SimFixture fixture(text);
  uint32_t *out = fixture.zeros<uint32_t>(96);
  CHECK(fixture.launch(96, {out}) == "");
  CHECK(out[95] == 96);
}

TEST_CASE("atomics race with the store before them", "[sim]") {
  std::string update =
      "%mid = atomicrmw add ptr addrspace(3) @s, i32 0 monotonic";
  CHECK_THAT(firstFinding(counter("", ""), 96, 96),
             Contains("[backend-data-race]"));
  // The storing thread's own atomic doesn't hide the store.
  CHECK_THAT(firstFinding(counter(update, ""), 96, 96),
             Contains("[backend-data-race]"));
  SimFixture inOrder(counter(update, ""));
  CHECK_THAT(inOrder.launch(96, {inOrder.zeros<uint32_t>(96)}),
             Contains("[backend-data-race]"));
  CHECK(firstFinding(counter(update, everyone), 96, 96) == "");
}

/// All threads read what thread 0 writes, thread 0 alone or all `use` it.
static std::string earlyLoad(StringRef use) {
  return perThread("\
  %isFirst = icmp eq i32 %i, 0\n\
  br i1 %isFirst, label %write, label %read\n\
write:\n\
  store i32 7, ptr addrspace(3) @s\n\
  br label %read\n\
read:\n\
  %v = load i32, ptr addrspace(3) @s\n\
  br i1 " + use + ", label %first, label %end\n\
first:\n\
  store i32 %v, ptr addrspace(1) %mine\n\
  br label %end\n\
end:\n\
  ret void",
                   "@s = internal addrspace(3) global i32 undef");
}

TEST_CASE("a load that was moved ahead of its guard is no race", "[sim]") {
  CHECK(firstFinding(earlyLoad("%isFirst"), 64, 64) == "");
  CHECK_THAT(firstFinding(earlyLoad("true"), 64, 64),
             Contains("[backend-data-race]"));
}

TEST_CASE("a barrier that not enough threads come to is a deadlock", "[sim]") {
  CHECK_THAT(firstFinding(perThread(R"(
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 128)
  ret void)"),
                          64, 64),
             Contains("[backend-deadlock]") &&
                 Contains("waits for ever at barrier 1: 64 of 128"));
}

TEST_CASE("named barriers order those who meet there", "[sim]") {
  auto text = [](StringRef other) {
    return perThread("\
  %w = lshr i32 %i, 5\n\
  %producer = icmp eq i32 %w, 0\n\
  br i1 %producer, label %put, label %get\n\
put:\n\
  %p = getelementptr i32, ptr addrspace(3) @s, i32 %i\n\
  store i32 %i, ptr addrspace(3) %p\n\
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 1, i32 64)\n\
  ret void\n\
get:\n\
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 " +
                         other + ", i32 64)\n\
  %k = and i32 %i, 31\n\
  %g = getelementptr i32, ptr addrspace(3) @s, i32 %k\n\
  %v = load i32, ptr addrspace(3) %g\n\
  store i32 %v, ptr addrspace(1) %mine\n\
  ret void",
                     "@s = internal addrspace(3) global [32 x i32] undef");
  };
  CHECK(firstFinding(text("1"), 64, 64) == "");
  CHECK_THAT(firstFinding(text("2"), 64, 64), Contains("[backend-deadlock]"));
}

TEST_CASE("a barrier under a branch that lanes disagree on is found", "[sim]") {
  CHECK_THAT(firstFinding(perThread(R"(
  %odd = and i32 %i, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %a, label %b
a:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
b:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
end:
  ret void)"),
                          64, 64),
             Contains("[backend-divergent-collective]"));
}

/// Threads below `limit` wait at `barrier`; the others return.
static std::string barrierBelow(unsigned limit, StringRef barrier) {
  return "%c = icmp ult i32 %i, " + std::to_string(limit) +
         "\nbr i1 %c, label %a, label %end\na:\ncall void @llvm." +
         barrier.str() + "\nbr label %end\nend:\nret void";
}

TEST_CASE("a barrier that some lanes of a warp return before is found",
          "[sim]") {
  auto found = [](unsigned limit, StringRef barrier) {
    return firstFinding(perThread(barrierBelow(limit, "nvvm.barrier.cta.sync." +
                                                          barrier.str())),
                        64, 64);
  };
  CHECK_THAT(found(16, "aligned.all(i32 0)"),
             Contains("[backend-divergent-collective]") &&
                 Contains("not all threads of its warp come here: lane 16 has "
                          "ended"));
  CHECK_THAT(found(48, "aligned.all(i32 0)"),
             Contains("[backend-divergent-collective]"));
  // A whole warp may return, and one that is not aligned counts threads.
  CHECK(found(32, "aligned.all(i32 0)") == "");
  CHECK(found(16, "all(i32 0)") == "");
}

TEST_CASE("accesses past a buffer's end are found", "[sim]") {
  std::string store = "store i32 1, ptr addrspace(1) %mine\n  ret void";
  CHECK(firstFinding(perThread(store), 64, 64) == "");
  CHECK_THAT(firstFinding(perThread(store), 64, 63),
             Contains("[backend-out-of-bounds]") &&
                 Contains("thread (63, 0, 0): writes 4 bytes at an address 0 "
                          "bytes past the end of an allocation of 252 bytes"));
  CHECK_THAT(firstFinding(perThread(R"(
  %put = getelementptr i32, ptr addrspace(3) @s, i32 %i
  store i32 %i, ptr addrspace(3) %put
  ret void)",
                                    "@s = internal addrspace(3) global [63 x "
                                    "i32] undef"),
                          64, 64),
             Contains("[backend-out-of-bounds]") &&
                 Contains("which no buffer of the block covers"));
}

TEST_CASE("an address must be as aligned as the instruction says", "[sim]") {
  auto text = [](StringRef alignment) {
    return perThread("%at = getelementptr i32, ptr addrspace(1) %out, i32 1\n"
                     "store <4 x i32> zeroinitializer, ptr addrspace(1) %at, "
                     "align " +
                     alignment + "\n ret void");
  };
  CHECK(firstFinding(text("4"), 1, 64) == "");
  CHECK_THAT(firstFinding(text("16"), 1, 64), Contains("[backend-misaligned]"));
}

TEST_CASE("a loop that doesn't end is found", "[sim]") {
  SimFixture fixture(perThread(R"(
  br label %again
again:
  %n = phi i32 [ 0, %0 ], [ %m, %again ]
  %m = xor i32 %n, 1
  %c = icmp ne i32 %m, 7
  br i1 %c, label %again, label %end
end:
  ret void)"));
  CHECK_THAT(fixture.launch(1, {fixture.zeros<uint32_t>(1)}),
             Contains("[backend-deadlock]") &&
                 Contains("a loop that doesn't end"));
}

TEST_CASE("a thread may look again and again for what another does", "[sim]") {
  std::string text = perThread(R"(
  %w = icmp ult i32 %i, 32
  br i1 %w, label %look, label %set
set:
  store atomic i32 1, ptr addrspace(1) %out monotonic, align 4
  ret void
look:
  %v = load atomic i32, ptr addrspace(1) %out monotonic, align 4
  %c = icmp eq i32 %v, 1
  br i1 %c, label %end, label %look
end:
  ret void)");
  SimFixture fixture(text);
  CHECK(fixture.launch(33, {fixture.zeros<uint32_t>(1)}) == "");
}

TEST_CASE("masked accesses are checked where the mask selects", "[sim]") {
  auto text = [](StringRef mask) {
    return perThread("call void @llvm.masked.store.v4i32.p1(<4 x i32> "
                     "zeroinitializer, ptr addrspace(1) align 4 %mine, "
                     "<4 x i1> <i1 true, i1 true, i1 true, i1 " +
                     mask + ">)\nret void");
  };
  CHECK(firstFinding(text("false"), 1, 3) == "");
  CHECK_THAT(firstFinding(text("true"), 1, 3),
             Contains("[backend-out-of-bounds]"));
}

TEST_CASE("what a GPU has no name for is refused when loaded", "[sim]") {
  SimFixture fixture(
      perThread("call void @someone()\n ret void", "declare void @someone()"));
  CHECK_THAT(fixture.loadProblem(),
             Contains("[backend-not-simulated]") && Contains("'someone'"));
}

TEST_CASE("a stack that overflows ends the block, not the program", "[sim]") {
  std::string recursion = R"(
define internal i32 @down(i32 %n) noinline {
  %room = alloca [64 x i32]
  %at = getelementptr i32, ptr %room, i32 %n
  store volatile i32 %n, ptr %at
  %m = add i32 %n, 0
  %r = call i32 @down(i32 %m)
  %v = load volatile i32, ptr %at
  %s = add i32 %r, %v
  ret i32 %s
})";
  CHECK_THAT(firstFinding(perThread("%r = call i32 @down(i32 3)\n"
                                    "store i32 %r, ptr addrspace(1) %mine\n"
                                    "ret void",
                                    recursion),
                          1, 1),
             Contains("[backend-device-fault]") && Contains("overflowed"));
}

TEST_CASE("a trap and a division by zero are faults", "[sim]") {
  CHECK_THAT(firstFinding(perThread("call void @llvm.trap()\n ret void"), 1, 1),
             Contains("[backend-device-fault]"));
  CHECK_THAT(firstFinding(perThread("%z = load volatile i32, ptr addrspace(1) "
                                    "%mine\n%d = udiv i32 7, %z\n"
                                    "store i32 %d, ptr addrspace(1) %mine\n"
                                    "ret void"),
                          1, 1),
             Contains("[backend-device-fault]") && Contains("zero"));
}

TEST_CASE("what a chip can't hold is refused before the launch", "[sim]") {
  SimFixture fixture(perThread("ret void"), "sm_80");
  uint32_t *out = fixture.zeros<uint32_t>(1);
  CHECK_THAT(fixture.launch(1025, {out}), Contains("[backend-device-limit]"));
  LaunchShape shape;
  shape.dynamicSharedBytes = 164 << 10;
  CHECK_THAT(fixture.launch(shape, {out}),
             Contains("[backend-device-limit]") && Contains("166912"));
}

TEST_CASE("chips are known by name", "[sim]") {
  CollectingSink sink;
  CHECK(openSimulatedDevice({"gfx1100"}, SourceSpan{}, sink));
  CHECK_FALSE(openSimulatedDevice({"sm_9"}, SourceSpan{}, sink));
  CHECK(sink.diagnostics()[0].kind == DiagKind::BackendUnknownChip);
}

TEST_CASE("memory runs out with a diagnostic", "[sim]") {
  CollectingSink sink;
  auto device = openSimulatedDevice({"sm_90"}, SourceSpan{}, sink);
  CHECK_FALSE(device->allocate(size_t(1) << 40, sink));
  CHECK(sink.diagnostics()[0].kind == DiagKind::BackendDeviceMemory);
}
