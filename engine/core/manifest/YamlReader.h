// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// YAML or JSON text as a tree of located nodes; yaml-cpp's only home.
#ifndef LH_CORE_MANIFEST_YAMLREADER_H
#define LH_CORE_MANIFEST_YAMLREADER_H

#include "core/support/Diagnostic.h"

#include <utility>

namespace lh {

/// One node of a document. A mapping keeps its order: `keys[i]` belongs to
/// `items[i]`.
struct YamlNode {
  enum class Kind { Null, Scalar, Sequence, Mapping };

  Kind kind = Kind::Null;
  std::string text;    ///< of a scalar
  bool quoted = false; ///< a quoted scalar is a string whatever it looks like
  /// The column at which `text` itself stands, unescaped, on `where.line`; 0
  /// when it is spread over lines or holds escapes.
  unsigned contentColumn = 0;
  std::vector<YamlNode> items;
  std::vector<Located<std::string>> keys;
  SourceSpan where;
  // Of one to be written:
  std::string comment;  ///< lines above it
  bool isBlock = false; ///< each of its members has a line
  /// It, or something in it, has errors, which were reported.
  bool isBroken = false;
  /// Keys of it were refused: one that isn't there may be one of those.
  bool lacksKeys = false;

  bool isScalar() const { return kind == Kind::Scalar; }
  bool isSequence() const { return kind == Kind::Sequence; }
  bool isMapping() const { return kind == Kind::Mapping; }

  /// The value of `key` in a mapping; null when absent or not a mapping.
  const YamlNode *find(StringRef key) const;
  YamlNode *find(StringRef key) {
    return const_cast<YamlNode *>(std::as_const(*this).find(key));
  }
  /// Where `key` itself stands; `where` when there is no such key.
  const SourceSpan &whereKey(StringRef key) const;
};

/// Reads the one document in `text`; `file` is for the places. Aliases are
/// replaced by what they name. Fails on syntax errors, a second document and
/// input beyond the limits on size and depth. Duplicate keys, merge keys and
/// tags are errors too, but leave a tree without them, so that the caller can
/// go on and report what else is wrong: compare `sink.errorCount()`.
FailureOr<YamlNode> readYaml(StringRef text, StringRef file,
                             DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_MANIFEST_YAMLREADER_H
