// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which paths of the graph run, and whether they make sense as pipelines.
#ifndef LH_CORE_GRAPH_PIPELINERESOLVER_H
#define LH_CORE_GRAPH_PIPELINERESOLVER_H

#include "core/graph/ResolvedGraph.h"
#include "core/manifest/ManifestParser.h"

namespace lh {

/// What a bubble of the manifest became.
struct ExpandedBubble {
  std::vector<size_t> chain; ///< of the elementary bubbles, by index
  bool isSound = true;       ///< else the chain lacks what has errors
};

struct PipelineParts {
  std::vector<ResolvedPipeline> whole;
  /// Those with errors, without the bubbles that have them.
  std::vector<ResolvedPipeline> partial;
  /// All that there are have their names in one of the lists.
  bool areAllNamed = true;
  bool isComplete = true; ///< nothing in them or around them is broken
};

/// The pipelines that `manifest` declares, or all source-to-sink paths.
/// `expanded[i]` is what the manifest's bubble `i` became in `bubbles`. What
/// follows from `broken` parts is not reported.
PipelineParts resolvePipelines(const Manifest &manifest,
                               const BrokenParts &broken,
                               ArrayRef<ResolvedBubble> bubbles,
                               ArrayRef<ExpandedBubble> expanded,
                               DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_GRAPH_PIPELINERESOLVER_H
