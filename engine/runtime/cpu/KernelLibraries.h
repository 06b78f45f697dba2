// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared libraries with functions that compiled code calls.
#ifndef LH_RUNTIME_CPU_KERNELLIBRARIES_H
#define LH_RUNTIME_CPU_KERNELLIBRARIES_H

#include "runtime/abi/Backend.h"
#include "runtime/cpu/RuntimeSymbols.h"

namespace lh {

/// Loads `libraries`, which stay until the process ends, and finds their
/// functions; the names are those of `libraries`. Fails with a diagnostic where
/// one can't be loaded or lacks a function.
FailureOr<std::vector<RuntimeSymbol>>
openLibraries(ArrayRef<KernelLibrary> libraries, const SourceSpan &where,
              DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_CPU_KERNELLIBRARIES_H
