// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are loaded and spread over scalable vectors.
#include "runtime/cpu/LlvmAnalyses.h"
#include "runtime/cpu/SpreadLoads.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <catch2/catch.hpp>

namespace {
/// How often a hidden pointer is made where the numbers at these distances (in
/// bytes) from one pointer are loaded, and spread if `spread`.
size_t hiddenPointers(std::initializer_list<int> distances, bool spread) {
  std::string text = "define void @f(ptr %a, ptr %to) {\n";
  for (int bytes : distances) {
    std::string n = std::to_string(bytes);
    text += "%p" + n + " = getelementptr i8, ptr %a, i64 " + n + "\n%x" + n +
            " = load float, ptr %p" + n + "\n";
    if (!spread) {
      text += "store float %x" + n + ", ptr %to\n";
      continue;
    }
    text += "%i" + n +
            " = insertelement <vscale x 4 x float> poison, float %x" + n +
            ", i64 0\n%s" + n + " = shufflevector <vscale x 4 x float> %i" + n +
            ", <vscale x 4 x float> poison, <vscale x 4 x i32> "
            "zeroinitializer\nstore <vscale x 4 x float> %s" +
            n + ", ptr %to\n";
  }
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(text + "ret void\n}", error, context);
  REQUIRE(module);
  llvm::PassBuilder builder;
  lh::LlvmAnalyses analyses(builder);
  llvm::Function &function = *module->getFunction("f");
  lh::sharePointersOfSpreadLoads(function, analyses.functions);
  CHECK_FALSE(llvm::verifyModule(*module));
  size_t count = 0;
  for (llvm::Instruction &each : function.getEntryBlock())
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&each))
      count += call->isInlineAsm();
  return count;
}
} // namespace

TEST_CASE("loads that are spread share a pointer within its reach",
          "[spread]") {
  CHECK(hiddenPointers({0, 4, 252}, true) == 1);
  CHECK(hiddenPointers({0, 1024, 4, 1028}, true) == 2);
  CHECK(hiddenPointers({0, 256}, true) == 0);
  CHECK(hiddenPointers({8, 4}, true) == 0);
  CHECK(hiddenPointers({0, 2}, true) == 0);
  CHECK(hiddenPointers({0, 4, 8}, false) == 0);
}
