// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The syntax of pass strings, with the place of every name.
#ifndef LH_COMPILER_SESSION_PASSPIPELINETEXT_H
#define LH_COMPILER_SESSION_PASSPIPELINETEXT_H

#include "core/support/Diagnostic.h"

#include <optional>

namespace lh {

/// One element of a pass string: `name{options}`, or `anchor(nested...)`.
struct PassElement {
  std::string name;
  std::string options; ///< between the braces
  size_t offset = 0, optionsOffset = 0;
  bool isAnchor = false;
  std::vector<PassElement> nested;
  /// Set by PassPipeline: the anchor that a bare list leaves out.
  std::string impliedAnchor;
};

/// Where things in a pass string are in the user's file.
class PassStringPlace {
public:
  PassStringPlace(StringRef text, SourceSpan scalar);

  /// The span of `length` characters from `offset` in the string; the whole
  /// scalar where the string isn't one line as written (folded, quoted with
  /// escapes, or made from `${...}`).
  SourceSpan at(size_t offset, size_t length) const;

private:
  SourceSpan scalar;
  /// Columns from the scalar's start to the string's; none: not mappable.
  std::optional<unsigned> shift;
};

/// Parses mlir-opt's textual pipelines: names, not meanings. Reports the first
/// syntax error; nesting that is too deep is one.
FailureOr<std::vector<PassElement>> parsePassText(StringRef text,
                                                  const PassStringPlace &place,
                                                  DiagnosticSink &sink);

/// The string again, with implied anchors spelled out.
std::string printPassText(ArrayRef<PassElement> elements);

} // namespace lh

#endif // LH_COMPILER_SESSION_PASSPIPELINETEXT_H
