// Which paths of the graph run, and whether they make sense as pipelines.
#ifndef LH_GRAPH_PIPELINERESOLVER_H
#define LH_GRAPH_PIPELINERESOLVER_H

#include "graph/ResolvedGraph.h"

namespace lh {

/// The pipelines that `manifest` declares, or all source-to-sink paths.
/// `expanded[i]` lists what the manifest's bubble `i` became in `bubbles`; it
/// is empty for a bubble with errors.
FailureOr<std::vector<ResolvedPipeline>>
resolvePipelines(const Manifest &manifest, ArrayRef<ResolvedBubble> bubbles,
                 ArrayRef<std::vector<size_t>> expanded, DiagnosticSink &sink);

} // namespace lh

#endif // LH_GRAPH_PIPELINERESOLVER_H
