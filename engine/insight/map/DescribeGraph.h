// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the map shows of a resolved manifest, in words.
#ifndef LH_INSIGHT_MAP_DESCRIBEGRAPH_H
#define LH_INSIGHT_MAP_DESCRIBEGRAPH_H

#include "core/graph/ResolvedGraph.h"
#include "insight/map/SpaceMap.h"

namespace lh {

MapSource describeGraph(const ResolvedGraph &graph);

} // namespace lh

#endif // LH_INSIGHT_MAP_DESCRIBEGRAPH_H
