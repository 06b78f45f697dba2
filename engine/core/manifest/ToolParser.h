// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text to ToolSpec.
#ifndef LH_CORE_MANIFEST_TOOLPARSER_H
#define LH_CORE_MANIFEST_TOOLPARSER_H

#include "core/manifest/Manifest.h"

namespace lh {

/// A tool's file, YAML or JSON. The name is the stem of `file`. All errors of
/// the file are reported.
FailureOr<ToolSpec> parseTool(StringRef text, StringRef file,
                              DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_MANIFEST_TOOLPARSER_H
