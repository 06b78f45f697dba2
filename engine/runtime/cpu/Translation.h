// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the LLVM dialect to LLVM IR for one target.
#ifndef LH_RUNTIME_CPU_TRANSLATION_H
#define LH_RUNTIME_CPU_TRANSLATION_H

#include "compiler/session/ModuleKernels.h"
#include "runtime/abi/HostFacts.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm
namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// LLVM IR, the context that owns its types, and the machine that it is for.
struct TranslatedModule {
  TranslatedModule();
  TranslatedModule(TranslatedModule &&) noexcept;
  TranslatedModule &operator=(TranslatedModule &&) noexcept;
  ~TranslatedModule();

  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module; ///< destroyed before its context
  /// Bodies of kernels that are yet to be linked or loaded.
  std::vector<KernelBody> kernels;
};

/// Translates `module`, sets the target's triple, data layout and vector width
/// (before any LLVM pass sees it). Fails with a diagnostic of
/// makeTargetMachine(), or at `where` when ops other than the LLVM dialect's,
/// or of `alsoTranslated` dialects, are left. The module's context must know
/// the translations to LLVM IR (MlirSession's does).
FailureOr<TranslatedModule>
translateForTarget(mlir::ModuleOp module, const TargetSpec &target,
                   const HostFacts &host, const SourceSpan &where,
                   DiagnosticSink &sink,
                   ArrayRef<StringRef> alsoTranslated = {});

} // namespace lh

#endif // LH_RUNTIME_CPU_TRANSLATION_H
