// Text to Manifest, BubbleFile or TargetSpec.
#ifndef LH_MANIFEST_MANIFESTPARSER_H
#define LH_MANIFEST_MANIFESTPARSER_H

#include "manifest/Manifest.h"

namespace lh {

/// Each reads YAML or JSON; `file` is where it stands, for the places and as
/// what paths in it are relative to. All errors of the file are reported.
FailureOr<Manifest> parseManifest(StringRef text, StringRef file,
                                  DiagnosticSink &sink);
FailureOr<BubbleFile> parseBubbleFile(StringRef text, StringRef file,
                                      DiagnosticSink &sink);
/// The target's name is the stem of `file`.
FailureOr<TargetSpec> parseTarget(StringRef text, StringRef file,
                                  DiagnosticSink &sink);

} // namespace lh

#endif // LH_MANIFEST_MANIFESTPARSER_H
