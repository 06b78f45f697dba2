// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intel's subgroups: places, exchanges and matrix products.
#include "SimTestSupport.h"

#include "runtime/sim/OpenCl.h"

#include <catch2/catch.hpp>

#include <random>

using namespace lh;
using Catch::Matchers::Contains;

TEST_CASE("OpenCL C's functions are known by their mangled names", "[sim]") {
  CHECK(openClFunction("_Z12get_local_idj") == "get_local_id");
  CHECK(openClFunction("_Z7barrierj") == "barrier");
  CHECK(openClFunction("_Z99get_local_idj") == "");
  CHECK(openClFunction("_Z") == "");
  CHECK(openClFunction("llvm.fma.f32") == "");
}

/// What each of 32 threads gets from an expression of %lane, called %r.
static std::vector<uint32_t> inSubgroups(StringRef body, StringRef declarations,
                                         unsigned lanes) {
  SimFixture fixture(
      spirvKernel("ptr addrspace(1) %out",
                  body + "\n%mine = getelementptr i32, ptr addrspace(1) %out, "
                         "i32 %lane\n"
                         "store i32 %r, ptr addrspace(1) %mine\nret void",
                  lanes, declarations),
      "dg2");
  auto *out = fixture.zeros<uint32_t>(32);
  CHECK(fixture.launch(32, {out}) == "");
  return {out, out + 32};
}

TEST_CASE("a subgroup has as many lanes as its kernel asks for", "[sim]") {
  StringRef declared = "declare spir_func i32 @_Z22get_sub_group_local_idv()\n";
  StringRef body = "%r = call spir_func i32 @_Z22get_sub_group_local_idv()";
  for (unsigned lanes : {8u, 16u, 32u})
    CHECK(inSubgroups(body, declared, lanes)[31] == lanes - 1);
}

TEST_CASE("lanes of a subgroup exchange values", "[sim]") {
  auto shuffled = [](StringRef name, unsigned by) {
    std::string function = "@_Z" + std::to_string(name.size()) + name.str();
    return inSubgroups(
        "%r = call spir_func i32 " + function + "jj(i32 %lane, i32 " +
            std::to_string(by) + ")",
        "declare spir_func i32 " + function + "jj(i32, i32) convergent\n", 32);
  };
  CHECK(shuffled("sub_group_shuffle_xor", 5)[8] == 13);
  CHECK(shuffled("sub_group_shuffle", 7)[8] == 7);
}

TEST_CASE("a lane of another subgroup can't be read from", "[sim]") {
  SimFixture fixture(
      spirvKernel("ptr addrspace(1) %out",
                  "%r = call spir_func i32 @_Z21sub_group_shuffle_xorjj(i32 "
                  "%lane, i32 16)\n"
                  "store i32 %r, ptr addrspace(1) %out\nret void",
                  16,
                  "declare spir_func i32 @_Z21sub_group_shuffle_xorjj(i32, "
                  "i32) convergent\n"),
      "pvc");
  CHECK_THAT(fixture.launch(32, {fixture.zeros<uint32_t>(1)}),
             Contains("[backend-divergent-collective]") &&
                 Contains("it reads from lane 16, which doesn't take part"));
}

TEST_CASE("a subgroup comes to OpenCL's barrier as one", "[sim]") {
  CHECK_THAT(firstFinding(spirvKernel("ptr addrspace(1) %out",
                                      "%c = icmp ult i32 %lane, 4\n"
                                      "br i1 %c, label %a, label %b\na:\n"
                                      "call void @_Z7barrierj(i32 1)\n"
                                      "ret void\nb:\n"
                                      "call void @_Z7barrierj(i32 1)\n"
                                      "ret void",
                                      16),
                          16, 1, "pvc"),
             Contains("[backend-divergent-collective]") &&
                 Contains("another barrier instruction"));
}

namespace {
struct DpasForm {
  std::string name, type; ///< mangled, and the type of C
  unsigned length, bits;
  uint32_t (*encode)(int);
  bool integer;
};
} // namespace

static std::string dpasKernel(const DpasForm &form) {
  std::string call = form.type + " @" + form.name;
  return spirvKernel(
      "ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c",
      "%pa = getelementptr <8 x i16>, ptr addrspace(1) %a, i32 %lane\n"
      "%pb = getelementptr <8 x i32>, ptr addrspace(1) %b, i32 %lane\n"
      "%pc = getelementptr " +
          form.type +
          ", ptr addrspace(1) %c, i32 %lane\n"
          "%va = load <8 x i16>, ptr addrspace(1) %pa, align 4\n"
          "%vb = load <8 x i32>, ptr addrspace(1) %pb, align 4\n"
          "%vc = load " +
          form.type + ", ptr addrspace(1) %pc, align 4\n%d = call spir_func " +
          call + "(<8 x i16> %va, <8 x i32> %vb, " + form.type +
          " %vc)\nstore " + form.type +
          " %d, ptr addrspace(1) %pc, align 4\nret void",
      16,
      "declare spir_func " + call + "(<8 x i16>, <8 x i32>, " + form.type +
          ") convergent\n");
}

/// Lane j has A[i][j] (of bytes A[i][2j] and A[i][2j + 1]) as its i-th word of
/// 16 bits, B's column j in words of 32 bits along the sum, and C's column j.
static void checkDpas(const DpasForm &form) {
  INFO(form.name);
  std::mt19937 random(1);
  auto draw = [&] { return static_cast<int>(random() % 9) - 4; };
  std::vector<uint16_t> a(16 * 8);
  std::vector<uint32_t> b(16 * 8), c(16 * 8);
  unsigned perA = 16 / form.bits, perB = 32 / form.bits;
  int left[8][32] = {}, right[32][16] = {}, sums[8][16] = {};
  for (unsigned k = 0; k < form.length; ++k) {
    for (unsigned i = 0; i < 8; ++i)
      a[k / perA * 8 + i] |= static_cast<uint16_t>(
          form.encode(left[i][k] = draw()) << k % perA * form.bits);
    for (unsigned j = 0; j < 16; ++j)
      b[j * 8 + k / perB] |= form.encode(right[k][j] = draw())
                             << k % perB * form.bits;
  }
  auto encoded = [&](int value) {
    return form.integer ? static_cast<uint32_t>(value) : asFloat(value);
  };
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned j = 0; j < 16; ++j)
      c[j * 8 + i] = encoded(sums[i][j] = draw());
  SimFixture fixture(dpasKernel(form), "pvc");
  uint32_t *out = fixture.buffer(c);
  REQUIRE(fixture.launch(16, {fixture.buffer(a), fixture.buffer(b), out}) ==
          "");
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned j = 0; j < 16; ++j) {
      for (unsigned k = 0; k < form.length; ++k)
        sums[i][j] += left[i][k] * right[k][j];
      REQUIRE(out[j * 8 + i] == encoded(sums[i][j]));
    }
}

static const DpasForm dpasOfHalves = {
    "_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_f",
    "<8 x float>",
    16,
    16,
    asHalf,
    false};

TEST_CASE("DPAS follows OpenCL's layouts", "[sim]") {
  checkDpas(dpasOfHalves);
  checkDpas({"_Z40intel_sub_group_bf16_bf16_matrix_mad_k16Dv8_sDv8_iDv8_f",
             "<8 x float>", 16, 16, asBFloat, false});
  checkDpas({"_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_",
             "<8 x i32>", 32, 8, asByte, true});
}

TEST_CASE("DPAS is what Xe HPC has, in subgroups of 16", "[sim]") {
  std::string text = dpasKernel(dpasOfHalves);
  CHECK_THAT(SimFixture(text, "dg2").loadProblem(),
             Contains("[backend-not-simulated]") && Contains("dg2"));
  text.replace(text.find("!{i32 16}"), 9, "!{i32 32}");
  SimFixture fixture(text, "pvc");
  auto *words = fixture.zeros<uint32_t>(32 * 8);
  CHECK_THAT(fixture.launch(32, {words, words, words}),
             Contains("[backend-device-fault]") &&
                 Contains("a subgroup of 32 lanes multiplies, it takes 16"));
}
