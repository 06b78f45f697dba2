// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a bubble file computes and demands: `let:` and `constraints:`.
#ifndef LH_CORE_MANIFEST_COMPUTEDREADER_H
#define LH_CORE_MANIFEST_COMPUTEDREADER_H

#include "core/manifest/BrokenParts.h"
#include "core/manifest/Manifest.h"
#include "core/manifest/YamlReader.h"

namespace lh {

/// Reads both into `file`, whose parameters have been read; `broken` has those
/// that are broken, and gets the computed values that are.
void readComputed(const YamlNode &root, BubbleFile &file, BrokenParts &broken,
                  DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_MANIFEST_COMPUTEDREADER_H
