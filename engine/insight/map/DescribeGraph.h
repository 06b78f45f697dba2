// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the map shows of a resolved manifest, in words.
#ifndef LH_INSIGHT_MAP_DESCRIBEGRAPH_H
#define LH_INSIGHT_MAP_DESCRIBEGRAPH_H

#include "core/graph/Resolver.h"
#include "insight/map/SpaceMap.h"

namespace lh {

MapSource describeGraph(const ResolvedGraph &graph);

/// The same of several manifests; reports the errors of all of them.
FailureOr<std::vector<MapSource>>
loadMapSources(ArrayRef<std::string> manifests, const ResolveOptions &options,
               SourceStore &sources, DiagnosticSink &sink);

} // namespace lh

#endif // LH_INSIGHT_MAP_DESCRIBEGRAPH_H
