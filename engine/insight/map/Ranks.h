// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphviz's layered layout, in process: ranks and horizontal positions.
#ifndef LH_INSIGHT_MAP_RANKS_H
#define LH_INSIGHT_MAP_RANKS_H

#include "core/support/Diagnostic.h"

namespace lh {

struct RankVertex {
  double width = 0; ///< in points
  /// Edges meet it at its left border rather than at its middle.
  bool isAnchoredLeft = false;
};

struct RankEdge {
  size_t from = 0, to = 0;
  unsigned weight = 1; ///< how much it wants to be short and upright
};

/// A graph without names: what is laid out can't be misread as syntax.
struct RankGraph {
  std::vector<RankVertex> vertices;
  std::vector<RankEdge> edges;
  std::vector<std::vector<size_t>> clusters; ///< kept together
  double separation = 20; ///< between neighbours of a rank, in points
};

struct RankPosition {
  unsigned rank = 0;
  double x = 0; ///< where edges meet the vertex
};

/// The rank of each vertex, from 0; edges lead to higher ranks. Fails only
/// when Graphviz does.
FailureOr<std::vector<unsigned>> ranksOf(const RankGraph &graph);

/// Ranks, and positions with few crossings and short edges.
FailureOr<std::vector<RankPosition>> positionsOf(const RankGraph &graph);

} // namespace lh

#endif // LH_INSIGHT_MAP_RANKS_H
