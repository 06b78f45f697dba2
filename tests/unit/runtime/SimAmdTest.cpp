// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD's waves: exchanges and matrix products.
#include "SimTestSupport.h"

#include "runtime/sim/Numbers.h"

#include <catch2/catch.hpp>

#include <functional>
#include <random>

using namespace lh;
using Catch::Matchers::Contains;

/// What each lane gets from an expression of %lane, called %r.
static std::vector<uint32_t> evaluate(StringRef body, unsigned lanes,
                                      StringRef chip) {
  SimFixture fixture(
      amdgcnKernel(
          "ptr addrspace(1) %out",
          "%lane = call i32 @llvm.amdgcn.workitem.id.x()\n" + body +
              "\n%mine = getelementptr i32, ptr addrspace(1) %out, i32 "
              "%lane\nstore i32 %r, ptr addrspace(1) %mine\nret void"),
      chip);
  uint32_t *out = fixture.zeros<uint32_t>(lanes);
  CHECK(fixture.launch(lanes, {out}) == "");
  return {out, out + lanes};
}

TEST_CASE("a wave has 64 lanes, or 32 on RDNA", "[sim]") {
  for (auto [chip, lanes] : {std::pair("gfx942", 64u), {"gfx1100", 32u}})
    CHECK(evaluate("%r = call i32 @llvm.amdgcn.wavefrontsize()", lanes,
                   chip)[0] == lanes);
}

TEST_CASE("lanes of a wave exchange values", "[sim]") {
  CHECK(evaluate("%o = xor i32 %lane, 32\n%a = shl i32 %o, 2\n"
                 "%r = call i32 @llvm.amdgcn.ds.bpermute(i32 %a, i32 %lane)",
                 64, "gfx942")[5] == 37);
  CHECK(evaluate("%r = call i32 @llvm.amdgcn.readlane.i32(i32 %lane, i32 40)",
                 64, "gfx942")[3] == 40);
  // row_shr:1 (0x111), lanes outside of the row get 0 by bound control.
  auto shifted = evaluate(
      "%r = call i32 @llvm.amdgcn.update.dpp.i32(i32 7, i32 %lane, i32 273, "
      "i32 15, i32 15, i1 true)",
      64, "gfx942");
  CHECK(shifted[17] == 16);
  CHECK(shifted[16] == 0);
  // ds_swizzle: exchange with the lane whose number differs in bit 0.
  CHECK(evaluate("%r = call i32 @llvm.amdgcn.ds.swizzle(i32 %lane, i32 1055)",
                 32, "gfx1100")[6] == 7);
  CHECK(evaluate("%l = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)\n"
                 "%r = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %l)",
                 64, "gfx942")[45] == 45);
}

TEST_CASE("a wave comes to a barrier as one", "[sim]") {
  auto found = [](StringRef other) {
    return firstFinding(
        amdgcnKernel("ptr addrspace(1) %out",
                     "%i = call i32 @llvm.amdgcn.workitem.id.x()\n"
                     "%c = icmp ult i32 %i, 16\n"
                     "br i1 %c, label %a, label %b\na:\n"
                     "call void @llvm.amdgcn.s.barrier()\nret void\nb:\n" +
                         other + "ret void"),
        64, 1, "gfx942");
  };
  CHECK_THAT(found("call void @llvm.amdgcn.s.barrier()\n"),
             Contains("[backend-divergent-collective]") &&
                 Contains("another barrier instruction"));
  // It counts waves, with the lanes that they have left.
  CHECK(found("") == "");
}

TEST_CASE("memory of a thread's own is its stack", "[sim]") {
  CHECK(evaluate("%p = alloca [4 x i32], addrspace(5)\n"
                 "%k = and i32 %lane, 3\n"
                 "%at = getelementptr i32, ptr addrspace(5) %p, i32 %k\n"
                 "store i32 %lane, ptr addrspace(5) %at\n"
                 "%r = load i32, ptr addrspace(5) %at",
                 64, "gfx90a")[63] == 63);
}

namespace {
/// Where an element belongs, as AMD's Matrix Instruction Calculator prints it.
struct Slot {
  unsigned lane, index;
};
struct Form {
  std::string call;    ///< intrinsic's name
  std::string a, b, c; ///< types
  unsigned m, n, k, lanes, bits;
  std::function<Slot(unsigned row, unsigned k)> ofA;
  std::function<Slot(unsigned row, unsigned column)> ofD;
  std::function<uint32_t(int)> encode;
  bool integer;
  std::string chip;
  std::string rest; ///< further arguments
  bool replicated;  ///< the upper lanes hold A and B again
};
} // namespace

static std::string matrixKernel(const Form &form, unsigned words,
                                unsigned results) {
  std::string total = std::to_string(2 * words + results);
  return amdgcnKernel(
      "ptr addrspace(1) %in, ptr addrspace(1) %out",
      "%lane = call i32 @llvm.amdgcn.workitem.id.x()\n"
      "%f = mul i32 %lane, " +
          total +
          "\n%pa = getelementptr i32, ptr addrspace(1) %in, i32 %f\n"
          "%pb = getelementptr i32, ptr addrspace(1) %pa, i32 " +
          std::to_string(words) +
          "\n%pc = getelementptr i32, ptr addrspace(1) %pb, i32 " +
          std::to_string(words) + "\n%a = load " + form.a +
          ", ptr addrspace(1) %pa, align 4\n%b = load " + form.b +
          ", ptr addrspace(1) %pb, align 4\n%c = load " + form.c +
          ", ptr addrspace(1) %pc, align 4\n%d = call " + form.c +
          " @llvm.amdgcn." + form.call + "(" + form.a + " %a, " + form.b +
          " %b, " + form.c + " %c" + form.rest + ")\n%g = mul i32 %lane, " +
          std::to_string(results) +
          "\n%po = getelementptr i32, ptr addrspace(1) %out, i32 %g\nstore " +
          form.c + " %d, ptr addrspace(1) %po, align 4\nret void");
}

static void checkForm(const Form &form) {
  INFO(form.call);
  std::mt19937 random(1);
  auto draw = [&] { return static_cast<int>(random() % 9) - 4; };
  unsigned per = 32 / form.bits, results = form.m * form.n / form.lanes;
  unsigned perLane =
      form.m * form.k / form.lanes * (form.replicated ? form.lanes / 16 : 1);
  unsigned words = perLane / per, stride = 2 * words + results;
  std::vector<uint32_t> in(form.lanes * stride);
  std::vector<std::vector<int>> a(32, std::vector<int>(64)), b = a, c = a;
  auto put = [&](Slot slot, unsigned first, int value) {
    for (unsigned lane = slot.lane; lane < form.lanes;
         lane += form.replicated ? 16 : form.lanes)
      in[lane * stride + first + slot.index / per] |=
          form.encode(value) << slot.index % per * form.bits;
  };
  for (unsigned i = 0; i < form.m; ++i)
    for (unsigned k = 0; k < form.k; ++k) {
      put(form.ofA(i, k), 0, a[i][k] = draw());
      put(form.ofA(i, k), words, b[i][k] = draw()); // column i
    }
  for (unsigned i = 0; i < form.m; ++i)
    for (unsigned j = 0; j < form.n; ++j) {
      Slot slot = form.ofD(i, j);
      c[i][j] = draw();
      in[slot.lane * stride + 2 * words + slot.index] =
          form.integer ? static_cast<uint32_t>(c[i][j]) : asFloat(c[i][j]);
    }
  SimFixture fixture(matrixKernel(form, words, results), form.chip);
  uint32_t *out = fixture.zeros<uint32_t>(form.lanes * results);
  REQUIRE(fixture.launch(form.lanes, {fixture.buffer(in), out}) == "");
  for (unsigned i = 0; i < form.m; ++i)
    for (unsigned j = 0; j < form.n; ++j) {
      int sum = c[i][j];
      for (unsigned k = 0; k < form.k; ++k)
        sum += a[i][k] * b[j][k];
      Slot slot = form.ofD(i, j);
      REQUIRE(out[slot.lane * results + slot.index] ==
              (form.integer ? static_cast<uint32_t>(sum) : asFloat(sum)));
    }
}

// A[i][k] of v_mfma_f32_16x16x16_f16 is in v[k % 4 / 2], half k % 2, of lane
// 16 * (k / 4) + i; D[i][j] in v[i % 4] of lane 16 * (i / 4) + j.
static Slot aOf16(unsigned i, unsigned k) { return {16 * (k / 4) + i, k % 4}; }
static Slot dOf16(unsigned i, unsigned j) { return {16 * (i / 4) + j, i % 4}; }
// v_mfma_f32_32x32x8_f16: lane 32 * (k / 4) + i; D[i][j] in v[4 * (i / 8) +
// i % 4] of lane 32 * (i / 4 % 2) + j.
static Slot aOf32(unsigned i, unsigned k) { return {32 * (k / 4) + i, k % 4}; }
static Slot dOf32(unsigned i, unsigned j) {
  return {32 * (i / 4 % 2) + j, 4 * (i / 8) + i % 4};
}

TEST_CASE("MFMA follows AMD's layouts", "[sim]") {
  std::string plain = ", i32 0, i32 0, i32 0";
  checkForm({"mfma.f32.16x16x16f16", "<4 x half>", "<4 x half>", "<4 x float>",
             16, 16, 16, 64, 16, aOf16, dOf16, asHalf, false, "gfx90a", plain,
             false});
  checkForm({"mfma.f32.32x32x8f16", "<4 x half>", "<4 x half>", "<16 x float>",
             32, 32, 8, 64, 16, aOf32, dOf32, asHalf, false, "gfx942", plain,
             false});
  checkForm({"mfma.f32.16x16x16bf16.1k", "<4 x i16>", "<4 x i16>",
             "<4 x float>", 16, 16, 16, 64, 16, aOf16, dOf16, asBFloat, false,
             "gfx90a", plain, false});
  checkForm({"mfma.f32.16x16x4f32", "float", "float", "<4 x float>", 16, 16, 4,
             64, 32,
             [](unsigned i, unsigned k) {
               return Slot{16 * k + i, 0};
             },
             dOf16, asFloat, false, "gfx942", plain, false});
  checkForm({"mfma.i32.16x16x32.i8", "i64", "i64", "<4 x i32>", 16, 16, 32, 64,
             8,
             [](unsigned i, unsigned k) {
               return Slot{16 * (k / 8) + i, k % 8};
             },
             dOf16, asByte, true, "gfx942", plain, false});
}

// RDNA3: lane i (and i + 16) holds row i of A, column i of B; D[i][j] is in
// v[i / 2] of lane 16 * (i % 2) + j.
static Slot aOfRdna3(unsigned i, unsigned k) { return {i, k}; }
static Slot dOfRdna3(unsigned i, unsigned j) {
  return {16 * (i % 2) + j, i / 2};
}

TEST_CASE("WMMA follows AMD's layouts", "[sim]") {
  checkForm({"wmma.f32.16x16x16.f16.v8f32.v16f16", "<16 x half>", "<16 x half>",
             "<8 x float>", 16, 16, 16, 32, 16, aOfRdna3, dOfRdna3, asHalf,
             false, "gfx1100", "", true});
  checkForm({"wmma.f32.16x16x16.bf16.v8f32.v16i16", "<16 x i16>", "<16 x i16>",
             "<8 x float>", 16, 16, 16, 32, 16, aOfRdna3, dOfRdna3, asBFloat,
             false, "gfx1100", "", true});
}

TEST_CASE("WMMA on RDNA3 wants A and B in both halves", "[sim]") {
  SimFixture fixture(
      amdgcnKernel("ptr addrspace(1) %out",
                   "%lane = call i32 @llvm.amdgcn.workitem.id.x()\n"
                   "%x = uitofp i32 %lane to half\n"
                   "%a = insertelement <16 x half> zeroinitializer, half %x, "
                   "i32 0\n"
                   "%d = call <8 x float> "
                   "@llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16(<16 x "
                   "half> %a, <16 x half> %a, <8 x float> zeroinitializer)\n"
                   "store <8 x float> %d, ptr addrspace(1) %out, align 4\n"
                   "ret void"),
      "gfx1100");
  CHECK_THAT(fixture.launch(32, {fixture.zeros<float>(8)}),
             Contains("[backend-device-fault]") &&
                 Contains("lane 16 must hold what lane 0 holds"));
}

TEST_CASE("a matrix product that lanes miss is found", "[sim]") {
  SimFixture fixture(
      amdgcnKernel("ptr addrspace(1) %out",
                   "%lane = call i32 @llvm.amdgcn.workitem.id.x()\n"
                   "%low = icmp ult i32 %lane, 32\n"
                   "br i1 %low, label %in, label %end\nin:\n"
                   "%d = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32("
                   "float 0.0, float 0.0, <4 x float> zeroinitializer, i32 0, "
                   "i32 0, i32 0)\n"
                   "store <4 x float> %d, ptr addrspace(1) %out, align 4\n"
                   "br label %end\nend:\nret void"),
      "gfx942");
  CHECK_THAT(fixture.launch(64, {fixture.zeros<float>(4)}),
             Contains("[backend-divergent-collective]"));
}
