// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled code as bytes, and back.
#ifndef LH_RUNTIME_ABI_COMPILEDCODE_H
#define LH_RUNTIME_ABI_COMPILEDCODE_H

#include "core/support/PortablePaths.h"
#include "runtime/abi/Backend.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace lh {

/// `module` is what `code` was generated from. Paths are as `paths` has them.
std::string encodeCode(const CompiledCode &code, mlir::ModuleOp module,
                       const PortablePaths &paths);

/// What encodeCode() wrote of a module with this entry.
FailureOr<CompiledCode> decodeCode(StringRef bytes, StringRef entry,
                                   mlir::MLIRContext &context,
                                   const PortablePaths &paths,
                                   const SourceSpan &where,
                                   DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_ABI_COMPILEDCODE_H
