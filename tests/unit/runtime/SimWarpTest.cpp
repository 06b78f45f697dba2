// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of warps, and asynchronous copies.
#include "SimTestSupport.h"

#include <catch2/catch.hpp>

using namespace lh;
using Catch::Matchers::Contains;

static std::string perLane(StringRef body, StringRef globals = "") {
  return perThread(
      "%lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()\n" + body, globals);
}

/// What each of 32 threads gets from an expression of %lane, called %r.
static std::vector<uint32_t> ofEachLane(StringRef body) {
  SimFixture fixture(perLane(
      (body + "\n store i32 %r, ptr addrspace(1) %mine\n ret void").str()));
  uint32_t *out = fixture.zeros<uint32_t>(32);
  CHECK(fixture.launch(32, {out}) == "");
  return {out, out + 32};
}

TEST_CASE("shuffles read other lanes, within their segment", "[sim]") {
  auto shuffle = [](StringRef mode, int amount, int bounds) {
    return ofEachLane(("%r = call i32 @llvm.nvvm.shfl.sync." + mode +
                       ".i32(i32 -1, i32 %lane, i32 " + Twine(amount) +
                       ", i32 " + Twine(bounds) + ")")
                          .str());
  };
  CHECK(shuffle("bfly", 16, 31)[3] == 19);
  CHECK(shuffle("down", 4, 31)[27] == 31);
  CHECK(shuffle("down", 4, 31)[28] == 28); // out of range: its own
  CHECK(shuffle("up", 1, 0)[0] == 0);
  CHECK(shuffle("up", 1, 0)[9] == 8);
  CHECK(shuffle("idx", 5, 31)[30] == 5);
  // Segments of 8 lanes: mask 0x18, clamp 31.
  CHECK(shuffle("idx", 2, 0x1800 | 31)[13] == 10);
}

TEST_CASE("votes, reductions and elections agree in all lanes", "[sim]") {
  CHECK(ofEachLane(
            "%o = and i32 %lane, 1\n %c = icmp eq i32 %o, 1\n"
            "%r = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %c)")[7] ==
        0xAAAAAAAAu);
  CHECK(ofEachLane("%r = call i32 @llvm.nvvm.redux.sync.add(i32 %lane, i32 "
                   "-1)")[0] == 496);
  CHECK(ofEachLane("%m = sub i32 0, %lane\n"
                   "%r = call i32 @llvm.nvvm.redux.sync.min(i32 %m, i32 "
                   "-1)")[31] == static_cast<uint32_t>(-31));
  auto elected =
      ofEachLane("%e = call {i32, i1} @llvm.nvvm.elect.sync(i32 -1)\n"
                 "%p = extractvalue {i32, i1} %e, 1\n"
                 "%r = zext i1 %p to i32");
  CHECK(elected[0] == 1);
  CHECK(elected[1] == 0);
}

TEST_CASE("a collective that part of its lanes miss is found", "[sim]") {
  auto text = [](StringRef mask) {
    return perLane(("%low = icmp ult i32 %lane, 16\n"
                    "br i1 %low, label %in, label %end\n"
                    "in:\n"
                    "%r = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 " +
                    mask +
                    ", i32 %lane, i32 1, i32 31)\n"
                    "store i32 %r, ptr addrspace(1) %mine\n"
                    "br label %end\n"
                    "end:\n"
                    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 "
                    "0)\n"
                    "ret void")
                       .str());
  };
  CHECK(firstFinding(text("65535"), 64, 64) == "");
  CHECK_THAT(firstFinding(text("-1"), 64, 64),
             Contains("[backend-divergent-collective]") &&
                 Contains("lane 16 waits at barrier 0") &&
                 Contains("shfl.sync.bfly"));
}

TEST_CASE("an exchange in a warp orders its lanes' accesses", "[sim]") {
  auto text = [](StringRef between) {
    return perLane(("%put = getelementptr i32, ptr addrspace(3) @s, i32 %i\n"
                    "store i32 %i, ptr addrspace(3) %put\n" +
                    between +
                    "\n%o = xor i32 %i, 1\n"
                    "%get = getelementptr i32, ptr addrspace(3) @s, i32 %o\n"
                    "%v = load i32, ptr addrspace(3) %get\n"
                    "store i32 %v, ptr addrspace(1) %mine\n ret void")
                       .str(),
                   "@s = internal addrspace(3) global [64 x i32] undef");
  };
  CHECK(firstFinding(text("call void @llvm.nvvm.bar.warp.sync(i32 -1)"), 64,
                     64) == "");
  CHECK_THAT(firstFinding(text(""), 64, 64), Contains("[backend-data-race]"));
}

/// 64 threads copy 16 bytes each and read what a neighbour copied.
static std::string asynchronous(StringRef wait) {
  return perLane(
      ("%to = getelementptr [4 x i32], ptr addrspace(3) @s, i32 %i\n"
       "%from = getelementptr [4 x i32], ptr addrspace(1) %out, i32 %i\n"
       "call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) "
       "%to, ptr addrspace(1) %from)\n"
       "call void @llvm.nvvm.cp.async.commit.group()\n" +
       wait +
       "\n%o = xor i32 %i, 1\n"
       "%get = getelementptr [4 x i32], ptr addrspace(3) @s, i32 %o\n"
       "%v = load i32, ptr addrspace(3) %get\n"
       "%last = add i32 %i, 256\n"
       "%put = getelementptr i32, ptr addrspace(1) %out, i32 %last\n"
       "store i32 %v, ptr addrspace(1) %put\n ret void")
          .str(),
      "@s = internal addrspace(3) global [256 x i32] undef, align 16");
}

TEST_CASE("asynchronous copies must be waited for by all", "[sim]") {
  std::string barrier =
      "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";
  std::string wait = "call void @llvm.nvvm.cp.async.wait.group(i32 0)\n";
  CHECK(firstFinding(asynchronous(wait + barrier), 64, 320) == "");
  CHECK_THAT(firstFinding(asynchronous(barrier), 64, 320),
             Contains("[backend-missing-wait]"));
  CHECK_THAT(firstFinding(asynchronous(barrier + wait), 64, 320),
             Contains("[backend-missing-wait]"));
  CHECK_THAT(firstFinding(asynchronous(wait), 64, 320), Contains("[backend-"));
  CHECK_THAT(firstFinding(asynchronous("call void @llvm.nvvm.cp.async.wait."
                                       "group(i32 1)\n" +
                                       barrier),
                          64, 320),
             Contains("[backend-missing-wait]"));
  SimFixture fixture(asynchronous(wait + barrier), "sm_80", 3);
  std::vector<uint32_t> values(320);
  for (uint32_t i = 0; i < 256; ++i)
    values[i] = i;
  uint32_t *out = fixture.buffer(values);
  CHECK(fixture.launch(64, {out}) == "");
  CHECK(out[256] == 4);
  CHECK(out[257] == 0);
}

TEST_CASE("cp.async needs a chip that has it", "[sim]") {
  SimFixture fixture(asynchronous(""), "sm_75");
  CHECK_THAT(fixture.loadProblem(),
             Contains("[backend-not-simulated]") &&
                 Contains("llvm.nvvm.cp.async.cg.shared.global.16"));
}

TEST_CASE("libdevice's functions are the host's", "[sim]") {
  auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
  SimFixture fixture(nvptxKernel("ptr addrspace(1) %out", R"(
  %x = load float, ptr addrspace(1) %out
  %e = call float @__nv_expf(float %x)
  %t = call float @llvm.nvvm.ex2.approx.ftz.f(float %e)
  store float %t, ptr addrspace(1) %out
  ret void)",
                                 "declare float @__nv_expf(float)"));
  uint32_t *out = fixture.buffer<uint32_t>({bits(0.0f)});
  CHECK(fixture.launch(1, {out}) == "");
  CHECK(out[0] == bits(2.0f));
}
