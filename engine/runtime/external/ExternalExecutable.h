// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that a program of its target runs, with tensors in files.
#ifndef LH_RUNTIME_EXTERNAL_EXTERNALEXECUTABLE_H
#define LH_RUNTIME_EXTERNAL_EXTERNALEXECUTABLE_H

#include "runtime/abi/Backend.h"

namespace lh {

/// `code` is what the target's `compile:` wrote. Each run starts its
/// `run.command:`. Diagnostics point to `where`, or to the target's file.
FailureOr<std::unique_ptr<Executable>> loadExternal(CompiledCode code,
                                                    const TargetSpec &target,
                                                    const SourceSpan &where,
                                                    DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_EXTERNAL_EXTERNALEXECUTABLE_H
