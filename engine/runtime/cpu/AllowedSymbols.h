// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What generated code may call.
#ifndef LH_RUNTIME_CPU_ALLOWEDSYMBOLS_H
#define LH_RUNTIME_CPU_ALLOWEDSYMBOLS_H

#include "core/support/Diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lh {

/// Whether generated code may call `name` wherever it runs: functions of libm
/// and of memory, helpers that compilers call, and OpenMP's runtime.
bool isAllowedSymbol(StringRef name);

/// Fails with a diagnostic at `where` that names every symbol which `object`
/// refers to, and which is neither allowed nor, by `isOurs`, a function that
/// the engine supplies to it. This stops accidents and the plain ways out; code
/// in assembly can do without symbols.
LogicalResult checkSymbols(StringRef object,
                           llvm::function_ref<bool(StringRef)> isOurs,
                           const SourceSpan &where, DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_CPU_ALLOWEDSYMBOLS_H
