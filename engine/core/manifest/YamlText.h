// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A document as YAML text.
#ifndef LH_CORE_MANIFEST_YAMLTEXT_H
#define LH_CORE_MANIFEST_YAMLTEXT_H

#include "core/manifest/YamlReader.h"

namespace lh {

/// Nodes to be written: a string, whatever it looks like; a number or another
/// value without quotes; an empty list; an empty mapping.
YamlNode textNode(const Twine &text);
YamlNode plainNode(const Twine &text);
YamlNode listNode();
YamlNode mappingNode();
/// Sets `key` of a mapping, in place of what it has there.
void setKey(YamlNode &mapping, const Located<std::string> &key, YamlNode item);

/// A scalar in quotes, whatever is in it; bytes that are no UTF-8 are replaced.
std::string quotedYaml(StringRef text);

/// `node` on one line: `{dialects: {none: [linalg]}, shapes: static}`.
std::string flowText(const YamlNode &node);

/// `root`, a mapping, as text that reads back the same, with the nodes'
/// comments. What fits on a line is written in flow.
std::string yamlText(const YamlNode &root);

} // namespace lh

#endif // LH_CORE_MANIFEST_YAMLTEXT_H
