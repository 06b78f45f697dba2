// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether MLIR's recursive parser can read a text without running out of stack.
#ifndef LH_COMPILER_INGRESS_MLIR_TEXTDEPTH_H
#define LH_COMPILER_INGRESS_MLIR_TEXTDEPTH_H

#include "core/support/Diagnostic.h"

#include <optional>

namespace lh {

/// Where (by offset) brackets of MLIR's text are nested more deeply than any
/// module needs; nothing when they aren't. What stands in strings and comments
/// doesn't count.
std::optional<size_t> tooDeepAt(StringRef text);

/// Reports that of the file at `path`. Bytecode, and what can't be read, pass.
LogicalResult checkTextDepth(const std::string &path, DiagnosticSink &sink);

} // namespace lh

#endif // LH_COMPILER_INGRESS_MLIR_TEXTDEPTH_H
