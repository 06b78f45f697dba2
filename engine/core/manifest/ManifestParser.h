// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text to Manifest or BubbleFile.
#ifndef LH_CORE_MANIFEST_MANIFESTPARSER_H
#define LH_CORE_MANIFEST_MANIFESTPARSER_H

#include "core/manifest/Manifest.h"

#include <set>

namespace lh {

/// Of the things of one kind that a file declares.
struct BrokenPart {
  /// Those with errors, which were reported.
  std::set<std::string> names;
  /// There may be more of them than were read: a key or an entry was refused.
  bool lacksSome = false;

  bool any() const { return lacksSome || !names.empty(); }
};

/// Whoever refers to a broken part, or to one that may be lacking, has no
/// error for that: one mistake is told once.
struct BrokenParts {
  BrokenPart params, lets, targets, bubbles, edges, pipelines, cases;
};

/// A file as far as it could be read: what is broken is in it, too.
struct ManifestParts {
  Manifest manifest;
  BrokenParts broken;
  bool isSound = true; ///< there was no error
};
struct BubbleFileParts {
  BubbleFile file;
  BrokenParts broken;
  bool isSound = true;
  /// The bubbles of the chain that aren't broken are of use.
  bool isUsable = true;
};

/// As parseManifest and parseBubbleFile, for who goes on with what is sound.
/// They fail where the text is no document.
FailureOr<ManifestParts> readManifest(StringRef text, StringRef file,
                                      DiagnosticSink &sink);
FailureOr<BubbleFileParts> readBubbleFile(StringRef text, StringRef file,
                                          DiagnosticSink &sink);

/// Each reads YAML or JSON; `file` is where it stands, for the places and as
/// what paths in it are relative to. All errors of the file are reported.
FailureOr<Manifest> parseManifest(StringRef text, StringRef file,
                                  DiagnosticSink &sink);
FailureOr<BubbleFile> parseBubbleFile(StringRef text, StringRef file,
                                      DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_MANIFEST_MANIFESTPARSER_H
