// LLVM's analyses for tests of code on LLVM IR.
#ifndef LH_TESTS_UNIT_BACKEND_LLVMTESTSUPPORT_H
#define LH_TESTS_UNIT_BACKEND_LLVMTESTSUPPORT_H

#include "llvm/Passes/PassBuilder.h"

namespace lh {

struct LlvmAnalyses {
  LlvmAnalyses() {
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
};

} // namespace lh

#endif // LH_TESTS_UNIT_BACKEND_LLVMTESTSUPPORT_H
