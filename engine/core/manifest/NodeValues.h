// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What scalars and lists of a document mean, as plain values or with
// references.
#ifndef LH_CORE_MANIFEST_NODEVALUES_H
#define LH_CORE_MANIFEST_NODEVALUES_H

#include "core/manifest/Manifest.h"
#include "core/manifest/YamlReader.h"

namespace lh {

/// The typed value of a scalar without references, by YAML's plain forms:
/// true, 4, 0x10, 0.5, 1e-3; everything else, and what is quoted, is a string.
Value scalarValue(const YamlNode &node);

/// A scalar's value, or a list of integers.
Value valueOf(const YamlNode &node);
/// The scalar under `key`, or an empty string at the mapping's place.
Located<std::string> textOf(const YamlNode &mapping, StringRef key);

/// Reads a scalar, or a list of integers, as an expression; `$${` stands for
/// the text `${`. Malformed references are errors, and are left out of the
/// result; any other node gives an empty string without an error (the checker
/// has reported it).
Expression parseExpression(const YamlNode &node, DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_MANIFEST_NODEVALUES_H
