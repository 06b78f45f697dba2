// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's analyses, ready for passes on a module.
#ifndef LH_RUNTIME_CPU_LLVMANALYSES_H
#define LH_RUNTIME_CPU_LLVMANALYSES_H

#include "llvm/Passes/PassBuilder.h"

namespace lh {

/// All of them, as `builder` makes them; it must outlive this object.
struct LlvmAnalyses {
  explicit LlvmAnalyses(llvm::PassBuilder &builder) {
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

#endif // LH_RUNTIME_CPU_LLVMANALYSES_H
