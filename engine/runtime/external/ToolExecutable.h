// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model as another compiler runs it.
#ifndef LH_RUNTIME_EXTERNAL_TOOLEXECUTABLE_H
#define LH_RUNTIME_EXTERNAL_TOOLEXECUTABLE_H

#include "runtime/abi/Backend.h"

namespace lh {

/// Each run, and each bound call, starts the tool's `serve` program on the
/// model's file, and gives it arrays in files; `module`, as it was imported,
/// says which. Fails without `allowsExec`. Diagnostics point to the tool's file
/// or to `where`.
FailureOr<std::unique_ptr<Executable>>
loadTool(const ToolUse &use, mlir::ModuleOp module, StringRef entry,
         bool allowsExec, const SourceSpan &where, DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_EXTERNAL_TOOLEXECUTABLE_H
