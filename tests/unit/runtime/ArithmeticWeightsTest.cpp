// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What blocks of code compute, in lanes.
#include "runtime/cpu/ArithmeticWeights.h"
#include "BackendTestSupport.h"
#include "runtime/cpu/TargetMachine.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <catch2/catch.hpp>

using namespace lh;

/// Of an x86 whose vectors have 512 bits.
static std::unique_ptr<llvm::TargetMachine> wideMachine() {
  TargetSpec target = hostTarget();
  target.triple = "x86_64-unknown-linux-gnu";
  target.cpu = "x86-64-v4";
  CollectingSink sink;
  auto machine = makeTargetMachine(target, testHost(), sink);
  INFO(only(sink));
  REQUIRE(succeeded(machine));
  return std::move(*machine);
}

/// All blocks of all functions together, each run once.
static ArithmeticCount weigh(const std::string &text) {
  auto machine = wideMachine();
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(text, error, context);
  INFO(error.getMessage().str());
  REQUIRE(module);
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  ArithmeticCount total;
  for (llvm::Function &function : *module) {
    function.addFnAttr("prefer-vector-width", "512");
    for (const auto &[block, count] : weighBlocks(function, *machine)) {
      total.operations += count.operations;
      total.vectorised += count.vectorised;
      total.instructions += count.instructions;
      total.vectorInstructions += count.vectorInstructions;
      for (const auto &[name, calls] : count.unknownCalls)
        total.unknownCalls[name] += calls;
    }
  }
  return total;
}

/// Of a function with these instructions.
static ArithmeticCount weighBody(const std::string &body) {
  return weigh("define void @f(ptr %p, ptr %q, i64 %n, <16 x float> %v, "
               "float %s, <16 x i1> %m) {\n" +
               body + "\nret void\n}");
}

static bool is(const ArithmeticCount &count, double operations,
               double vectorised) {
  INFO(count.operations << " operations, " << count.vectorised
                        << " vectorised");
  CHECK(count.unknownCalls.empty());
  CHECK(count.operations == operations);
  CHECK(count.vectorised == vectorised);
  return count.operations == operations && count.vectorised == vectorised;
}

TEST_CASE("lanes that are filled count, of registers as they are", "[count]") {
  CHECK(is(weighBody("%a = fadd <16 x float> %v, %v"), 16, 16));
  CHECK(is(weighBody("%a = fadd float %s, %s"), 1, 0));
  CHECK(is(weighBody("%x = load <4 x float>, ptr %p\n"
                     "%a = fmul <4 x float> %x, %x"),
           4, 4 * 4 / 16.0));
  // 24 lanes are a register and a half.
  CHECK(is(weighBody("%x = load <24 x float>, ptr %p\n"
                     "%a = fmul <24 x float> %x, %x"),
           24, 24 * 24 / 32.0));
  CHECK(is(weighBody("%x = load <64 x double>, ptr %p\n"
                     "%a = fdiv <64 x double> %x, %x"),
           64, 64));
  CHECK(is(weighBody("%x = load <1 x float>, ptr %p\n"
                     "%a = fmul <1 x float> %x, %x"),
           1, 0));
}

TEST_CASE("multiply-adds are two, dot products two for each product",
          "[count]") {
  CHECK(is(weigh("declare <16 x float> @llvm.fma.v16f32(<16 x float>, "
                 "<16 x float>, <16 x float>)\n"
                 "define <16 x float> @f(<16 x float> %v) {\n"
                 "%a = call <16 x float> @llvm.fma.v16f32(<16 x float> %v, "
                 "<16 x float> %v, <16 x float> %v)\n"
                 "ret <16 x float> %a\n}"),
           32, 32));
  CHECK(
      is(weigh("declare <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32>, "
               "<64 x i8>, <64 x i8>)\n"
               "define <16 x i32> @f(<16 x i32> %s, <64 x i8> %a) {\n"
               "%r = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> "
               "%s, <64 x i8> %a, <64 x i8> %a)\n"
               "ret <16 x i32> %r\n}"),
         128, 128));
}

TEST_CASE("functions without an instruction are done lane by lane", "[count]") {
  CHECK(
      is(weighBody("%a = call <16 x float> @llvm.exp.v16f32(<16 x float> %v)"),
         16, 0));
  CHECK(
      is(weighBody("%a = call <16 x float> @llvm.sqrt.v16f32(<16 x float> %v)"),
         16, 16));
  CHECK(is(weighBody("%a = frem <16 x float> %v, %v"), 16, 0));
  // A sum in order needs one lane after another.
  CHECK(is(weighBody("%a = call float @llvm.vector.reduce.fadd.v16f32(float "
                     "%s, <16 x float> %v)"),
           16, 0));
  CHECK(is(weighBody("%a = call reassoc float @llvm.vector.reduce.fadd.v16f32("
                     "float %s, <16 x float> %v)"),
           16, 16));
  CHECK(is(weigh("declare float @erff(float)\ndefine float @f(float %s) {\n"
                 "%a = call float @erff(float %s)\nret float %a\n}"),
           1, 0));
}

TEST_CASE("moving data is no arithmetic", "[count]") {
  CHECK(is(weighBody("%x = load <16 x float>, ptr %p\n"
                     "%y = shufflevector <16 x float> %x, <16 x float> %v, "
                     "<16 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, "
                     "i32 7, i32 6, i32 9, i32 8, i32 11, i32 10, i32 13, "
                     "i32 12, i32 15, i32 14>\n"
                     "%z = select <16 x i1> %m, <16 x float> %y, "
                     "<16 x float> %v\n"
                     "store <16 x float> %z, ptr %q\n"
                     "call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, "
                     "i1 false)"),
           0, 0));
}

TEST_CASE("integers that lead to data are not data", "[count]") {
  // A loop over floats, with an address and a mask from its counter.
  CHECK(is(weigh(R"(
define void @f(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %row = mul i64 %i, 24
  %at = add i64 %row, 3
  %a = getelementptr float, ptr %p, i64 %at
  %left = sub i64 %n, %i
  %some = insertelement <16 x i64> poison, i64 %left, i64 0
  %all = shufflevector <16 x i64> %some, <16 x i64> poison, <16 x i32> zeroinitializer
  %lanes = add <16 x i64> %all, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %m = icmp sgt <16 x i64> %lanes, zeroinitializer
  %x = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %a, <16 x i1> %m, <16 x float> zeroinitializer)
  %y = fadd <16 x float> %x, %x
  call void @llvm.masked.store.v16f32.p0(<16 x float> %y, ptr align 4 %a, <16 x i1> %m)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
})"),
           16, 16));
  // Indices that are data of a tensor, made into addresses.
  CHECK(is(weighBody("%i = load i64, ptr %p\n%j = add i64 %i, %n\n"
                     "%a = getelementptr float, ptr %q, i64 %j\n"
                     "%x = load float, ptr %a\nstore float %x, ptr %p"),
           0, 0));
  // A size, passed on the stack.
  CHECK(is(weighBody("%a = alloca { ptr, i64 }\n"
                     "%at = getelementptr i8, ptr %a, i64 8\n"
                     "%size = mul i64 %n, 4\nstore i64 %size, ptr %at"),
           0, 0));
}

TEST_CASE("integers that are stored or become floats are data", "[count]") {
  CHECK(is(weighBody("%x = load <16 x i8>, ptr %p\n"
                     "%w = sext <16 x i8> %x to <16 x i32>\n"
                     "%y = mul <16 x i32> %w, %w\n"
                     "%z = add <16 x i32> %y, %w\n"
                     "store <16 x i32> %z, ptr %q"),
           32, 32));
  CHECK(is(weighBody("%x = load i8, ptr %p\n%w = sext i8 %x to i32\n"
                     "%y = mul i32 %w, %w\n%f = sitofp i32 %y to float\n"
                     "store float %f, ptr %q"),
           2, 0));
  CHECK(is(weighBody("%x = load i32, ptr %p\n%y = icmp sgt i32 %x, 3\n"
                     "%z = zext i1 %y to i8\nstore i8 %z, ptr %q"),
           1, 0));
}

TEST_CASE("calls of unknown code are told by name", "[count]") {
  ArithmeticCount count = weigh(R"(
declare void @xsmm_gemm(ptr, ptr, ptr)
declare void @memrefCopy(i64, ptr, ptr)
define internal void @mine(ptr %p) {
  ret void
}
define void @f(ptr %p, ptr %through) {
  call void @xsmm_gemm(ptr %p, ptr %p, ptr %p)
  call void @xsmm_gemm(ptr %p, ptr %p, ptr %p)
  call void @memrefCopy(i64 4, ptr %p, ptr %p)
  call void @mine(ptr %p)
  call void %through(ptr %p)
  call void asm sideeffect "", ""()
  call void asm sideeffect "nop", ""()
  ret void
})");
  CHECK(count.operations == 0);
  CHECK(count.unknownCalls ==
        std::map<std::string, uint64_t>{{"a function by its address", 1},
                                        {"inline assembly", 1},
                                        {"xsmm_gemm", 2}});
}

TEST_CASE("lanes that nothing comes of don't count", "[count]") {
  // Three of four lanes are stored: of a sum of products that a loop carries.
  ArithmeticCount count = weigh(R"(
declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)
define void @f(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %sums = phi [1 x <4 x float>] [zeroinitializer, %entry], [%all, %loop]
  %sum = extractvalue [1 x <4 x float>] %sums, 0
  %x = load <4 x float>, ptr %p
  %y = call <4 x float> @llvm.fma.v4f32(<4 x float> %x, <4 x float> %x, <4 x float> %sum)
  %all = insertvalue [1 x <4 x float>] poison, <4 x float> %y, 0
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  call void @llvm.masked.store.v4f32.p0(<4 x float> %y, ptr align 4 %p, <4 x i1> <i1 true, i1 true, i1 true, i1 false>)
  ret void
})");
  CHECK(is(count, 2 * 3, 2 * 3 * 3 / 16.0));
  // The upper half is shuffled away.
  CHECK(is(weighBody("%a = fadd <16 x float> %v, %v\n"
                     "%b = shufflevector <16 x float> %a, <16 x float> poison, "
                     "<8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 "
                     "6, i32 7>\nstore <8 x float> %b, ptr %p"),
           8, 8 * 8 / 16.0));
}

TEST_CASE("what is put together lane by lane is computed so", "[count]") {
  std::string elements = "%x = load float, ptr %p\n%y = load float, ptr %q\n"
                         "%a = insertelement <4 x float> poison, float %x, i64 "
                         "0\n%b = insertelement <4 x float> %a, float %y, i64 "
                         "1\n%c = fadd <4 x float> %b, %b\n"
                         "%d = fmul <4 x float> %c, %c\n"
                         "store <4 x float> %d, ptr %p";
  CHECK(is(weighBody(elements), 8, 4 * 4 / 16.0));
  // One that is spread isn't.
  CHECK(is(weighBody("%a = insertelement <16 x float> poison, float %s, i64 0\n"
                     "%b = shufflevector <16 x float> %a, <16 x float> poison, "
                     "<16 x i32> zeroinitializer\n"
                     "%c = fadd <16 x float> %b, %v\n"
                     "store <16 x float> %c, ptr %p"),
           16, 16));
}

/// What `body` and a return count: instructions on vectors, and all.
static std::vector<double> instructionsOf(const std::string &body) {
  ArithmeticCount count = weighBody(body);
  return {static_cast<double>(count.vectorInstructions),
          static_cast<double>(count.instructions)};
}

TEST_CASE("instructions are told apart by what they work on", "[count]") {
  // Two loads of 16 lanes, an addition of 32 in two registers, a return.
  CHECK(instructionsOf("%x = load <32 x float>, ptr %p\n"
                       "%a = fadd <32 x float> %x, %x\n"
                       "store <32 x float> %a, ptr %q") ==
        std::vector<double>{6, 7});
  // A number that is loaded for all lanes is one instruction.
  CHECK(instructionsOf(
            "%x = load float, ptr %p\n"
            "%a = insertelement <16 x float> poison, float %x, i64 0\n"
            "%b = shufflevector <16 x float> %a, <16 x float> poison, "
            "<16 x i32> zeroinitializer\n"
            "store <16 x float> %b, ptr %q") == std::vector<double>{2, 3});
  // Lanes that are moved one by one are not on vectors.
  CHECK(instructionsOf("%x = load float, ptr %p\n"
                       "%a = insertelement <16 x float> %v, float %x, i64 3\n"
                       "%y = extractelement <16 x float> %a, i64 %n\n"
                       "store float %y, ptr %q") == std::vector<double>{0, 5});
}
