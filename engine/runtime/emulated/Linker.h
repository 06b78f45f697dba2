// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects to shared libraries, for any architecture.
#ifndef LH_RUNTIME_EMULATED_LINKER_H
#define LH_RUNTIME_EMULATED_LINKER_H

#include "runtime/emulated/MemoryFile.h"

namespace lh {

/// LLVM's linker for ELF as a program of this machine; "" when there is none.
std::string findLinker();

/// `object` as a shared library. What it refers to and doesn't have, its loader
/// must find. Fails with a diagnostic at `where`.
FailureOr<MemoryFile> linkSharedLibrary(StringRef object,
                                        const SourceSpan &where,
                                        DiagnosticSink &sink);

/// `objects` as one object file. Fails with a diagnostic at `where`.
FailureOr<std::string> joinObjects(ArrayRef<StringRef> objects,
                                   const SourceSpan &where,
                                   DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_EMULATED_LINKER_H
