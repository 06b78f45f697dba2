// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text to TargetSpec: one file, or several of which one extends the other.
#ifndef LH_CORE_MANIFEST_TARGETPARSER_H
#define LH_CORE_MANIFEST_TARGETPARSER_H

#include "core/manifest/Manifest.h"
#include "core/manifest/YamlReader.h"

namespace lh {

/// A target file, YAML or JSON, that has the right form. All errors of the file
/// are reported.
FailureOr<YamlNode> readTargetDocument(StringRef text, StringRef file,
                                       DiagnosticSink &sink);

/// What the document `extends`; empty: nothing.
Located<std::string> extendedBy(const YamlNode &document);

/// `base` with what `document` says in its place: facts one by one, every other
/// key as a whole.
YamlNode extended(YamlNode base, const YamlNode &document);

/// The target that a document describes which extends nothing, or was put in
/// its base's place. The name is the stem of `file`.
FailureOr<TargetSpec> targetOf(YamlNode document, StringRef file,
                               DiagnosticSink &sink);

/// A target that extends nothing.
FailureOr<TargetSpec> parseTarget(StringRef text, StringRef file,
                                  DiagnosticSink &sink);

/// A file of facts that targets have by default.
FailureOr<DefaultFacts> parseDefaultFacts(StringRef text, StringRef file,
                                          DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_MANIFEST_TARGETPARSER_H
