// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's optimizer and code generator.
#ifndef LH_RUNTIME_CPU_CODEGENERATION_H
#define LH_RUNTIME_CPU_CODEGENERATION_H

#include "core/support/Diagnostic.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace lh {

/// The O2 pipeline, with the target's costs known to the vectorizers.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine);

enum class CodeForm { Assembly, Object };

/// Machine code as text or as the bytes of an object file. Changes `module`.
FailureOr<std::string> generateCode(llvm::Module &module,
                                    llvm::TargetMachine &machine, CodeForm form,
                                    const SourceSpan &where,
                                    DiagnosticSink &sink);

/// The module as LLVM's text.
std::string printModule(const llvm::Module &module);

} // namespace lh

#endif // LH_RUNTIME_CPU_CODEGENERATION_H
