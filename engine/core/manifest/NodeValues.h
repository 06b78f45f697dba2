// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lenient access to a document that the checker has seen: what has the wrong
// form was reported, and reads as absent.
#ifndef LH_CORE_MANIFEST_NODEVALUES_H
#define LH_CORE_MANIFEST_NODEVALUES_H

#include "core/manifest/Manifest.h"
#include "core/manifest/YamlReader.h"

namespace lh {

/// The scalar under `key`, or an empty string at the mapping's place.
Located<std::string> textOf(const YamlNode &mapping, StringRef key);
/// The scalars of the list under `key`.
std::vector<Located<std::string>> locatedTextsOf(const YamlNode &mapping,
                                                 StringRef key);
std::vector<std::string> textsOf(const YamlNode &mapping, StringRef key);
std::optional<double> numberOf(const YamlNode &mapping, StringRef key);
std::optional<int64_t> integerOf(const YamlNode &mapping, StringRef key);
std::vector<Value> valuesOf(const YamlNode &mapping, StringRef key);
/// A scalar's value, or a list of integers.
Value valueOf(const YamlNode &node);

} // namespace lh

#endif // LH_CORE_MANIFEST_NODEVALUES_H
