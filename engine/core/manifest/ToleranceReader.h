// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bounds that comparisons allow, as manifests and targets write them.
#ifndef LH_CORE_MANIFEST_TOLERANCEREADER_H
#define LH_CORE_MANIFEST_TOLERANCEREADER_H

#include "core/manifest/Manifest.h"
#include "core/manifest/YamlReader.h"

namespace lh {

/// `atol`, `rtol` and `ulp` of a mapping.
ToleranceDecl readTolerance(const YamlNode &node);
/// The same of each element type under `dtypes`.
std::map<std::string, ToleranceDecl> readPerDtype(const YamlNode &node);

} // namespace lh

#endif // LH_CORE_MANIFEST_TOLERANCEREADER_H
