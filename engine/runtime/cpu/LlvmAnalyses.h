// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's analyses, ready for passes on a module.
#ifndef LH_RUNTIME_CPU_LLVMANALYSES_H
#define LH_RUNTIME_CPU_LLVMANALYSES_H

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Passes/PassBuilder.h"

#include <optional>
#include <utility>

namespace lh {

/// All of them, as `builder` makes them; it must outlive this object.
struct LlvmAnalyses {
  /// `library`: what functions there are to call, if not the platform's.
  explicit LlvmAnalyses(
      llvm::PassBuilder &builder,
      std::optional<llvm::TargetLibraryInfoImpl> library = std::nullopt) {
    // Of two with one name the first holds.
    if (library)
      functions.registerPass(
          [&] { return llvm::TargetLibraryAnalysis(std::move(*library)); });
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
