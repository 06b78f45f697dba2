// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manifest's graph: its edges checked, its source-to-sink paths.
#ifndef LH_CORE_GRAPH_PATHFINDER_H
#define LH_CORE_GRAPH_PATHFINDER_H

#include "core/manifest/Manifest.h"

namespace lh {

/// A directed graph over bubbles, by their index.
struct BubbleGraph {
  std::vector<Located<std::string>> names;
  struct Edge {
    size_t from, to;
    const EdgeDecl *decl; ///< borrowed
  };
  std::vector<Edge> edges; ///< each pair once

  std::optional<size_t> indexOf(StringRef name) const;
  const Edge *edgeBetween(size_t from, size_t to) const;
  bool isSource(size_t bubble) const;
  bool isSink(size_t bubble) const;
};

/// Joins bubbles and edges; `edges` must outlive the result. Unknown endpoints
/// and cycles are errors, an edge given twice a warning.
FailureOr<BubbleGraph> linkBubbles(ArrayRef<BubbleDecl> bubbles,
                                   ArrayRef<EdgeDecl> edges,
                                   DiagnosticSink &sink);

/// The same for `graph`, which has the sound edges after a failure. Endpoints
/// are not missed when there may be bubbles that could not be read.
LogicalResult linkBubbles(ArrayRef<BubbleDecl> bubbles,
                          ArrayRef<EdgeDecl> edges, bool lacksBubbles,
                          BubbleGraph &graph, DiagnosticSink &sink);

/// All paths from a source to a sink, each a list of indices, in the order of
/// declaration. Bubbles without any edge are left out unless they are alone.
/// More than `limit` is an error at `where`.
FailureOr<std::vector<std::vector<size_t>>> allPaths(const BubbleGraph &graph,
                                                     size_t limit,
                                                     const SourceSpan &where,
                                                     DiagnosticSink &sink);

/// Names for `paths`, all different, by the bubbles that tell them apart.
std::vector<std::string> pathNames(const BubbleGraph &graph,
                                   ArrayRef<std::vector<size_t>> paths);

/// The bubbles of a graph that is one chain, in order. Anything else is an
/// error at `where`.
FailureOr<std::vector<size_t>> chainOrder(const BubbleGraph &graph,
                                          const SourceSpan &where,
                                          DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_GRAPH_PATHFINDER_H
