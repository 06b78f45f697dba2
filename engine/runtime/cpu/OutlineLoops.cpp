// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves loops to functions of their own.
#include "runtime/cpu/OutlineLoops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace lh;

/// A call would leave the mode and come back to it.
static bool isStreaming(const llvm::Function &function) {
  return function.hasFnAttribute("aarch64_pstate_sm_body") ||
         function.hasFnAttribute("aarch64_pstate_sm_enabled");
}

/// As llvm::LoopExtractorPass does it, which looks at the whole function again
/// for each loop.
static void outlineLoopsOf(llvm::Function &function,
                           llvm::FunctionAnalysisManager &analyses) {
  analyses.invalidate(function,
                      llvm::LoopSimplifyPass().run(function, analyses));
  const auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto &tree = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  llvm::CodeExtractorAnalysisCache cache(function);
  for (llvm::Loop *loop : llvm::to_vector(loops.getTopLevelLoops())) {
    llvm::CodeExtractor extractor(loop->getBlocks(), &tree);
    if (!loop->isLoopSimplifyForm() || !extractor.isEligible())
      continue;
    if (llvm::Function *outlined = extractor.extractCodeRegion(cache))
      outlined->addFnAttr(llvm::Attribute::NoInline);
  }
  analyses.clear(function, function.getName());
}

void lh::outlineLoops(llvm::Module &module,
                      llvm::FunctionAnalysisManager &analyses, unsigned most) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (function.isDeclaration() || isStreaming(function))
      continue;
    const auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
    if (loops.getTopLevelLoops().size() > most)
      outlineLoopsOf(function, analyses);
  }
}
