// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that become functions.
#include "runtime/cpu/LlvmAnalyses.h"
#include "runtime/cpu/OutlineLoops.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <catch2/catch.hpp>

namespace {
/// A function of three loops, one after another: each stores to an element
/// of `%a` for each round.
std::string threeLoops(const std::string &attributes) {
  std::string text = "define void @f(ptr %a, i64 %n) " + attributes +
                     " {\nentry:\n  br label %loop0\n";
  for (int i = 0; i < 3; ++i) {
    std::string n = std::to_string(i);
    std::string from = i == 0 ? "entry" : "loop" + std::to_string(i - 1);
    std::string next = i == 2 ? "end" : "loop" + std::to_string(i + 1);
    text += "loop" + n + ":\n  %i" + n + " = phi i64 [0, %" + from + "], [%j" +
            n + ", %loop" + n + "]\n  %p" + n +
            " = getelementptr i64, ptr %a, i64 %i" + n + "\n  store i64 " + n +
            ", ptr %p" + n + "\n  %j" + n + " = add i64 %i" + n + ", 1\n  %d" +
            n + " = icmp ult i64 %j" + n + ", %n\n  br i1 %d" + n +
            ", label %loop" + n + ", label %" + next + "\n";
  }
  return text + "end:\n  ret void\n}\n";
}

/// How many functions without inlining there are afterwards.
int outlined(const std::string &attributes, unsigned most) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  auto module =
      llvm::parseAssemblyString(threeLoops(attributes), error, context);
  REQUIRE(module);
  llvm::PassBuilder builder;
  lh::LlvmAnalyses analyses(builder);
  lh::outlineLoops(*module, analyses.functions, most);
  CHECK_FALSE(llvm::verifyModule(*module));
  int count = 0;
  for (const llvm::Function &function : *module)
    if (function.hasFnAttribute(llvm::Attribute::NoInline)) {
      CHECK(function.hasInternalLinkage());
      CHECK(function.hasOneUse());
      ++count;
    }
  return count;
}
} // namespace

TEST_CASE("a function of too many loops is cut into functions", "[outline]") {
  CHECK(outlined("", 2) == 3);
  CHECK(outlined("", 3) == 0);
}

TEST_CASE("loops in a streaming mode stay where they are", "[outline]") {
  CHECK(outlined("\"aarch64_pstate_sm_body\"", 2) == 0);
}
