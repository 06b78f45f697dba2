// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks a document against the table of keys.
#ifndef LH_CORE_MANIFEST_NODECHECKER_H
#define LH_CORE_MANIFEST_NODECHECKER_H

#include "core/manifest/KeyTable.h"
#include "core/manifest/Manifest.h"
#include "core/manifest/YamlReader.h"

namespace lh {

/// Reports everything in `root` that doesn't have the form of `mapping`:
/// unknown, missing and misplaced keys, wrong types, words and names. Marks
/// what has errors, and where a key is unknown.
void checkDocument(YamlNode &root, const MappingSpec &mapping,
                   DiagnosticSink &sink);

/// The typed value of a scalar without references, by YAML's plain forms:
/// true, 4, 0x10, 0.5, 1e-3; everything else, and what is quoted, is a string.
Value scalarValue(const YamlNode &node);

} // namespace lh

#endif // LH_CORE_MANIFEST_NODECHECKER_H
