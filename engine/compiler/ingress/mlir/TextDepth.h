// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether MLIR's parser can read a text without running out of stack or memory.
#ifndef LH_COMPILER_INGRESS_MLIR_TEXTDEPTH_H
#define LH_COMPILER_INGRESS_MLIR_TEXTDEPTH_H

#include "core/support/Diagnostic.h"

#include <optional>

namespace lh {

/// What the parser would fall over.
struct TextExcess {
  size_t at = 0; ///< an offset
  const char *what = "";
};

/// The first place where brackets of MLIR's text are nested more deeply, or a
/// value has more results (`%0#700000`, for which MLIR makes room), than any
/// module needs, or an `array<index` stands. Strings and comments don't count.
std::optional<TextExcess> excessIn(StringRef text);

/// Reports that of the file at `path`. Bytecode, and what can't be read, pass.
LogicalResult checkTextDepth(const std::string &path, DiagnosticSink &sink);

} // namespace lh

#endif // LH_COMPILER_INGRESS_MLIR_TEXTDEPTH_H
