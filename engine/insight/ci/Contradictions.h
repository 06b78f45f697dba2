// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expectations that can't all be met.
#ifndef LH_INSIGHT_CI_CONTRADICTIONS_H
#define LH_INSIGHT_CI_CONTRADICTIONS_H

#include "core/graph/ResolvedGraph.h"
#include "core/manifest/Expectations.h"
#include "insight/map/SpaceMap.h"

namespace lh {

/// What announces a failure of a bubble that something else needs to pass with
/// the same target, case, and steps before it: if the one is right, the other
/// breaks. An announcement that is over counts no more.
struct Contradiction {
  PipelineName fails, passes;
  std::string message;
  SourceSpan announced, needed;
};
std::vector<Contradiction> contradictionsOf(ArrayRef<ResolvedGraph> graphs,
                                            const Present &present);

/// Reports them, by name.
LogicalResult checkContradictions(ArrayRef<ResolvedGraph> graphs,
                                  const Present &present, DiagnosticSink &sink);

} // namespace lh

#endif // LH_INSIGHT_CI_CONTRADICTIONS_H
