// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies of kernels, as LLVM IR: checked, and joined to the code that calls
// them.
#ifndef LH_RUNTIME_CPU_LINKKERNELS_H
#define LH_RUNTIME_CPU_LINKKERNELS_H

#include "compiler/session/ModuleKernels.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace lh {

/// A function for a compiler to make beside a body in C: the features that the
/// compiler gives this one are the target's.
inline constexpr StringRef plainFunction = "lh_kernel_plain";

/// `code`, LLVM IR as text or bitcode, as the body of `kernel` on the machine
/// of `target`: bitcode with the functions that the kernel names, called
/// kernelSymbol(), and private others. Fails with a diagnostic for each
/// function that is missing or takes other arguments, and for instructions that
/// the target lacks or of another architecture.
FailureOr<std::string> kernelBody(StringRef code, const KernelSpec &kernel,
                                  const TargetSpec &target,
                                  const llvm::TargetMachine &machine,
                                  DiagnosticSink &sink);

/// Fails with a diagnostic for each feature that the kernel needs and the
/// target lacks.
LogicalResult checkKernelFeatures(const KernelSpec &kernel,
                                  const TargetSpec &target,
                                  const llvm::TargetMachine &machine,
                                  DiagnosticSink &sink);

/// Fails with a diagnostic where an object file or a shared library, in `code`,
/// is for another architecture or lacks a function of `kernel`.
LogicalResult checkBinary(StringRef code, const KernelSpec &kernel,
                          const TargetSpec &target,
                          const llvm::TargetMachine &machine,
                          DiagnosticSink &sink);

/// Puts the bodies of `module`'s kernels that are LLVM IR into `code`, its
/// translation, as functions of its own.
LogicalResult linkKernels(ArrayRef<KernelBody> bodies, llvm::Module &code,
                          const SourceSpan &where, DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_CPU_LINKKERNELS_H
