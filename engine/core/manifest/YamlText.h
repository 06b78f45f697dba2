// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A document as YAML text.
#ifndef LH_CORE_MANIFEST_YAMLTEXT_H
#define LH_CORE_MANIFEST_YAMLTEXT_H

#include "core/manifest/YamlReader.h"

namespace lh {

/// A scalar in quotes, whatever is in it; bytes that are no UTF-8 are replaced.
std::string quotedYaml(StringRef text);

/// `root`, a mapping, as text that reads back the same: its mappings have a
/// line for each member, the rest is written in flow. Comments are lost.
std::string yamlText(const YamlNode &root);

} // namespace lh

#endif // LH_CORE_MANIFEST_YAMLTEXT_H
