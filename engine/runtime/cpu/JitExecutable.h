// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code in this process, called through its packed entry.
#ifndef LH_RUNTIME_CPU_JITEXECUTABLE_H
#define LH_RUNTIME_CPU_JITEXECUTABLE_H

#include "runtime/abi/Backend.h"

namespace lh {

/// Links `code`, whose packed entries are those of its ABI, with an arena of
/// its own. Diagnostics point to `where`.
FailureOr<std::unique_ptr<Executable>> loadExecutable(CompiledCode code,
                                                      const SourceSpan &where,
                                                      DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_CPU_JITEXECUTABLE_H
