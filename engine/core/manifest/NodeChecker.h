// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks a document against the table of keys.
#ifndef LH_CORE_MANIFEST_NODECHECKER_H
#define LH_CORE_MANIFEST_NODECHECKER_H

#include "core/manifest/KeyTable.h"

namespace lh {

/// Reports everything in `root` that doesn't have the form of `mapping`:
/// unknown, missing and misplaced keys, wrong types, words and names. Marks
/// what has errors, and where a key is unknown.
void checkDocument(YamlNode &root, const MappingSpec &mapping,
                   DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_MANIFEST_NODECHECKER_H
