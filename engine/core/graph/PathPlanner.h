// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ways through the bubble library, found by contracts.
#ifndef LH_CORE_GRAPH_PATHPLANNER_H
#define LH_CORE_GRAPH_PATHPLANNER_H

#include "core/graph/ContractFlow.h"

namespace lh {

/// A bubble that a path may take.
struct PlanNode {
  std::string name;   ///< what a manifest may call it: "tile-contractions"
  std::string use;    ///< "lib:cpu/tile-contractions", or an absolute path
  std::string passes; ///< instead of `use`, for one declared in place
  std::vector<ResolvedBubble> chain; ///< what it is made of
};

/// A pipeline of a manifest, from after its ingress to before its first
/// execute or emit: its bubbles work one after the other.
struct ProvenPath {
  std::string manifest, pipeline;
  std::vector<PlanNode> nodes;
};

/// A way from one form to another.
struct PlannedPath {
  std::vector<PlanNode> nodes;
  /// So many first ones are joined by their contracts alone.
  size_t joined = 0;
  /// The rest is the end, or a part, of this pipeline.
  const ProvenPath *proven = nullptr;
};

/// Why there is no way.
struct PathObstacle {
  std::vector<std::string> reached; ///< the names of the furthest path
  std::string next;                 ///< which bubble refuses its result
  ClauseState clause;               ///< what it asks for; the goal's if empty
};

struct PathSearch {
  std::vector<PlannedPath> paths; ///< best first
  PathObstacle obstacle;          ///< where there is none
};

/// Searches from a form that is known to one that `goal` describes. Edges that
/// a manifest has need no more than contracts that don't contradict; a new one
/// must be certain to fit. Paths with the fewest new edges come first, then
/// those that move numbers least, then the longest: a pipeline's bubbles are
/// there for a reason. `proven` must outlive the result.
PathSearch findPaths(const FormFacts &from, const FormDecl &goal,
                     ArrayRef<PlanNode> library, ArrayRef<ProvenPath> proven);

} // namespace lh

#endif // LH_CORE_GRAPH_PATHPLANNER_H
