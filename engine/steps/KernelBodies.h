// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the bodies of kernels come from: files, and a compiler.
#ifndef LH_STEPS_KERNELBODIES_H
#define LH_STEPS_KERNELBODIES_H

#include "compiler/session/ModuleKernels.h"
#include "runtime/abi/HostFacts.h"

namespace lh {

/// Whether a compiler is started for the kernel's body.
bool needsCompiler(const KernelSpec &kernel);

/// Whether the kernel's body is a shared library, which is loaded.
bool loadsLibrary(const KernelSpec &kernel);

/// Why the kernel can't be called on `target`: a package or a feature is
/// missing, or its library can't be loaded there. "" when it can.
std::string whyNoCandidate(const KernelSpec &kernel, const TargetSpec &target,
                           const HostFacts &host);

/// The kernel's body for `target`. C is compiled if `compiles`; otherwise its
/// code is unknown once all else is checked.
FailureOr<KernelCode> kernelCode(const KernelSpec &kernel,
                                 const TargetSpec &target,
                                 const HostFacts &host, bool compiles,
                                 DiagnosticSink &sink);

} // namespace lh

#endif // LH_STEPS_KERNELBODIES_H
