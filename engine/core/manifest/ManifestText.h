// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the engine writes in the form of users' files, by the table of keys.
#ifndef LH_CORE_MANIFEST_MANIFESTTEXT_H
#define LH_CORE_MANIFEST_MANIFESTTEXT_H

#include "core/manifest/Manifest.h"
#include "core/manifest/YamlText.h"

namespace lh {

/// Documents that read back as the same values, for yamlText(). A target's
/// extends nothing, and has the facts that stand in a file.
YamlNode documentOf(const Manifest &manifest);
YamlNode documentOf(const BubbleFile &file);
YamlNode documentOf(const TargetSpec &target);
YamlNode documentOf(const KernelSpec &kernel);
YamlNode documentOf(const TunedSpec &tuned);

/// A value without references, for a place that may have some.
Expression literal(Value value);
std::vector<Expression> literals(ArrayRef<std::string> texts);
/// `names` without places.
std::vector<Located<std::string>> unlocated(ArrayRef<std::string> names);

/// `text` with only such characters as names may have.
std::string nameFrom(StringRef text);

/// Edges from each bubble to the next.
void addEdges(Manifest &manifest, ArrayRef<std::string> bubbles);

} // namespace lh

#endif // LH_CORE_MANIFEST_MANIFESTTEXT_H
