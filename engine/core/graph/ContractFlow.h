// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contracts along the paths of a graph, before anything runs.
#ifndef LH_CORE_GRAPH_CONTRACTFLOW_H
#define LH_CORE_GRAPH_CONTRACTFLOW_H

#include "core/graph/FormFacts.h"
#include "core/graph/ResolvedGraph.h"

namespace lh {

/// What is known after `bubble`, from what is known before it: it holds what
/// it required, keeps what it preserves and sets what it ensures. An ingress
/// begins anew.
FormFacts factsAfter(const FormFacts &before, const ResolvedBubble &bubble);

/// The contract of a bubble's `requires:`, with what its action implies:
/// compiled code has pointers at its boundary, but for that of an external
/// target, which this doesn't know of. Nothing where it asks nothing.
std::optional<FormDecl> requirementOf(const ResolvedBubble &bubble);

/// Reports each edge of a pipeline on which a bubble is certain to get what
/// its contract refuses. What is unknown is checked on the IR when it runs.
/// Paths that `when:` leaves no target are passed over.
LogicalResult checkContracts(const ResolvedGraph &graph, DiagnosticSink &sink);

/// A payload in the form that it has at the start of a pipeline.
struct PayloadUse {
  size_t pipeline = 0;              ///< index into ResolvedGraph::pipelines
  const ModuleForm *form = nullptr; ///< borrowed
};

/// The same for what is known of payloads, beginning with what the ingress
/// ensures. An edge is reported for one payload.
LogicalResult checkPayloads(const ResolvedGraph &graph,
                            ArrayRef<PayloadUse> payloads,
                            DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_GRAPH_CONTRACTFLOW_H
