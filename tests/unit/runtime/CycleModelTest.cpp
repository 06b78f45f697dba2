// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counted code as instructions, blocks and cycles of cores.
#include "BackendTestSupport.h"

#include "runtime/emulated/BlockCounts.h"
#include "runtime/model/CodeModel.h"
#include "runtime/model/ExecutedCode.h"
#include "runtime/model/InstructionKinds.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace lh;
using Catch::Matchers::Contains;

static constexpr uint32_t branchBack = 0x54ffffe1; // b.ne

/// fmla zTO.s, p0/m, z30.s, z31.s
static uint32_t multiplyAdd(uint32_t to) { return 0x65bf03c0 | to; }

static std::string codeOf(ArrayRef<uint32_t> words) {
  return std::string(reinterpret_cast<const char *>(words.data()),
                     words.size() * sizeof(uint32_t));
}

static TargetSpec arm(const char *cores) {
  TargetSpec target;
  target.name = "arm";
  target.file = "arm.yaml";
  target.triple = "aarch64-unknown-linux-gnu";
  target.facts["modelled_cores"] = {Value(std::string(cores)),
                                    {"arm.yaml", 3, 1, 1}};
  return target;
}

/// A loop of `count` multiply-adds, none of which waits for another.
static CountedCode loopOf(uint32_t count, uint64_t rounds) {
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < count; ++i)
    words.push_back(multiplyAdd(i));
  words.push_back(branchBack);
  return {256, true, {{0x1000, rounds, codeOf(words)}}};
}

TEST_CASE("an instruction's unit is told by its registers", "[model]") {
  auto unit = [](StringRef text) {
    return unitOf(llvm::Triple::aarch64, text);
  };
  CHECK(unit("fmla\tz0.s, p0/m, z1.s, z2.s") == "sve");
  CHECK(unit("whilelo\tp0.s, xzr, x8") == "sve");
  CHECK(unit("addvl\tsp, sp, #-16") == "sve");
  CHECK(unit("cntw\tx8") == "sve");
  CHECK(unit("ldp\tq0, q1, [x0]") == "neon");
  CHECK(unit("fmla\tv0.4s, v1.4s, v2.s[0]") == "neon");
  CHECK(unit("fmopa\tza0.s, p0/m, p1/m, z0.s, z1.s") == "sme");
  CHECK(unit("smstart\tza") == "sme");
  CHECK(unit("fmadd\ts0, s1, s2, s3") == "scalar");
  CHECK(unit("add\tx8, sp, #16") == "scalar");
  CHECK(unitOf(llvm::Triple::riscv64, "vfmacc.vf\tv8, fa0, v4") == "rvv");
  CHECK(unitOf(llvm::Triple::riscv64, "addi\ta0, a0, 4") == "scalar");
}

TEST_CASE("what multiplies and adds is told by its name", "[model]") {
  auto is = [](StringRef text) {
    return isMultiplyAdd(llvm::Triple::aarch64, text);
  };
  CHECK(is("fmla\tz0.s, p0/m, z1.s, z2.s"));
  CHECK(is("fmad\tz0.s, p0/m, z1.s, z2.s"));
  CHECK(is("fmadd\ts0, s1, s2, s3"));
  CHECK(is("smmla\tz0.s, z1.b, z2.b"));
  CHECK(is("mla\tz0.s, p0/m, z1.s, z2.s"));
  CHECK_FALSE(is("madd\tx0, x1, x2, x3"));
  CHECK_FALSE(is("fmul\tz0.s, z1.s, z2.s"));
  CHECK(isMultiplyAdd(llvm::Triple::riscv64, "vfmacc.vf\tv8, fa0, v4"));
  CHECK_FALSE(isMultiplyAdd(llvm::Triple::riscv64, "vfmul.vv\tv8, v4, v2"));
}

TEST_CASE("an instruction ran as often as all pieces it is in", "[model]") {
  std::unique_ptr<InstructionSet> set = InstructionSet::of("aarch64");
  REQUIRE(set);
  uint32_t all[] = {multiplyAdd(0), multiplyAdd(1), multiplyAdd(2), branchBack,
                    multiplyAdd(3)};
  CountedCode counted{128, true, {}};
  counted.pieces.push_back({0x1000, 10, codeOf(all)});
  counted.pieces.push_back({0x1008, 5, codeOf(ArrayRef(all).drop_front(2))});
  counted.pieces.push_back({0x2000, 0, codeOf(all)});
  auto instructions = decodeExecuted(counted, *set);
  REQUIRE(instructions.size() == 5);
  CHECK(instructions.at(0x1004).count == 10);
  CHECK(instructions.at(0x1008).count == 15);
  std::vector<ExecutedBlock> blocks = blocksOf(instructions);
  REQUIRE(blocks.size() == 3);
  CHECK(blocks[0].instructions.size() == 2);
  CHECK(blocks[1].weight() == 30);
  CHECK(blocks[1].multiplyAdds() == 1);
  CHECK(blocks[2].instructions.size() == 1);
}

TEST_CASE("cycles are those of cores with vectors as long", "[model]") {
  ModelledCode code = modelCode(
      loopOf(24, 1000), arm("neoverse-v1/256 neoverse-v2/256 neoverse-n2/128"));
  CHECK(code.whyNot.empty());
  CHECK(code.instructions == 25000);
  CHECK(code.kinds.at("fma") == 24000);
  CHECK(code.kinds.at("sve") == 24000);
  CHECK(code.kinds.at("branch") == 1000);
  CHECK(code.loopInstructions == 25);
  REQUIRE(code.cores.size() == 2);
  // Two such units, and four.
  CHECK(code.cores[0].loop.cycles == Approx(12).epsilon(0.02));
  CHECK(code.cores[1].loop.cycles == Approx(6).epsilon(0.02));
  for (const ModelledCore &core : code.cores) {
    CHECK(core.all.cycles == Approx(1000 * core.loop.cycles));
    CHECK(core.all.shareOfPeak() == Approx(1).epsilon(0.02));
  }
}

TEST_CASE("multiply-adds that wait for each other are below the peak",
          "[model]") {
  uint32_t words[] = {multiplyAdd(0), branchBack};
  CountedCode counted{256, true, {{0x1000, 100, codeOf(words)}}};
  ModelledCode code = modelCode(counted, arm("neoverse-v1/256"));
  REQUIRE(code.cores.size() == 1);
  CHECK(code.cores[0].loop.shareOfPeak() < 0.4);
}

TEST_CASE("what wasn't counted to the end is not modelled", "[model]") {
  CountedCode counted = loopOf(4, 10);
  counted.isComplete = false;
  CHECK_THAT(modelCode(counted, arm("neoverse-v1/256")).whyNot,
             Contains("more code than fits"));
}

TEST_CASE("a target's cores are ones that LLVM has a model of", "[model]") {
  CollectingSink fine, wrong;
  CHECK(succeeded(checkCores(arm("neoverse-v1/256 cortex-a72/128"), fine)));
  CHECK(failed(checkCores(arm("neoverse-v9/128 neoverse-v1"), wrong)));
  REQUIRE(wrong.diagnostics().size() == 2);
  CHECK(wrong.diagnostics()[0].kind == DiagKind::BackendBadTarget);
  CHECK_THAT(wrong.diagnostics()[0].message, Contains("'neoverse-v9/128'"));
  CHECK_THAT(wrong.diagnostics()[1].message, Contains("'neoverse-v1'"));
}

TEST_CASE("counts survive their file, and damage is noticed", "[model]") {
  MemoryFile memory = makeCountsMemory();
  REQUIRE(memory.isUsable());
  auto &counts = *reinterpret_cast<LhBlockCounts *>(memory.data());
  counts.vectorBits = 512;
  counts.blocks[counts.blockCount++] = {0x1000, 3, 0, 7};
  std::memcpy(counts.code, "abc", 3);
  counts.codeBytes = 3;
  std::string bytes = packCounts(memory);
  auto counted = unpackCounts(bytes);
  REQUIRE(counted);
  CHECK(counted->vectorBits == 512);
  CHECK(counted->isComplete);
  REQUIRE(counted->pieces.size() == 1);
  CHECK(counted->pieces[0].count == 7);
  CHECK(counted->pieces[0].code == "abc");
  CHECK_FALSE(unpackCounts(StringRef(bytes).drop_back()));
  CHECK_FALSE(unpackCounts("short"));
  bytes[0] ^= 1;
  CHECK_FALSE(unpackCounts(bytes));
}
