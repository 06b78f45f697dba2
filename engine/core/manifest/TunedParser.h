// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text to TunedSpec.
#ifndef LH_CORE_MANIFEST_TUNEDPARSER_H
#define LH_CORE_MANIFEST_TUNEDPARSER_H

#include "core/manifest/Manifest.h"

namespace lh {

/// A file of measured choices, YAML or JSON. All errors of the file are
/// reported, two entries about the same among them.
FailureOr<TunedSpec> parseTuned(StringRef text, StringRef file,
                                DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_MANIFEST_TUNEDPARSER_H
