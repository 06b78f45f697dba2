// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of a manifest as a manifest of its own.
#ifndef LH_CORE_MANIFEST_CHOICE_H
#define LH_CORE_MANIFEST_CHOICE_H

#include "core/support/Diagnostic.h"

#include <map>
#include <string>
#include <vector>

namespace lh {

/// What to keep.
struct Choice {
  /// Names of bubbles in order, by pipeline.
  std::map<std::string, std::vector<std::string>> pipelines;
  std::string target;
  std::vector<std::string> cases;
  std::map<std::string, std::string> params; ///< their defaults from now on
  std::string comment;                       ///< for the first line
};

/// The manifest `text` with only what `choice` names and what that uses. Paths
/// stay as they are, so it belongs into the same folder. Fails when `text` is
/// no manifest; `file` is for the places.
FailureOr<std::string> chooseFromManifest(StringRef text, StringRef file,
                                          const Choice &choice,
                                          DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_MANIFEST_CHOICE_H
