// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pipelines of one or several manifests as one metro map: bubbles are
// stations, pipelines are coloured lanes. Plain values, without positions.
#ifndef LH_INSIGHT_MAP_SPACEMAP_H
#define LH_INSIGHT_MAP_SPACEMAP_H

#include "core/support/Diagnostic.h"

#include <map>
#include <optional>
#include <set>

namespace lh {

/// What a manifest's bubble is, as far as a map shows it.
struct MapBubble {
  std::string name;     ///< "tile", or "tile/finish" within a composite one
  std::string identity; ///< equal for bubbles that do the same
  std::string kind;     ///< "ingress", "passes", "schedule", "command", ...
  std::string summary;  ///< a few words: "onnx", "3 passes", "entry of a file"
  std::string when;     ///< the conditions on the target; empty: none
  std::string settings; ///< its parameters; instances may differ in them
  std::vector<std::string> details; ///< lines for those who look closer
};

struct MapPipeline {
  std::string name;
  std::string color; ///< as the manifest says; empty: chosen
  std::vector<size_t> path;
};

struct MapTarget {
  std::string name;
  size_t runs = 1; ///< points of its sweep
};

/// A manifest as the map's builder takes it.
struct MapSource {
  std::string manifest, summary;
  std::vector<MapBubble> bubbles;
  std::vector<MapPipeline> pipelines;
  std::vector<MapTarget> targets;
  std::vector<std::string> cases;
};

/// A bubble of a manifest that a station stands for.
struct MapUse {
  size_t source = 0;
  std::string bubble;
};

/// A station: every bubble that does the same at this place.
struct MapNode {
  std::string name;
  std::string kind; ///< as MapBubble's, or "composite"
  std::string summary;
  std::vector<std::string> badges; ///< "4 cases", "5 targets", "2 variants"
  std::vector<std::string> whens;
  std::vector<std::string> details;
  std::vector<std::string> inner; ///< of a composite one, in chain order
  std::vector<MapUse> uses;
  std::vector<size_t> lanes; ///< ascending
  std::optional<size_t> group;
  bool isSource = false, isSink = false;
};

/// Lanes go from one station to another without a stop.
struct MapEdge {
  size_t from = 0, to = 0;
  std::vector<size_t> lanes; ///< ascending
};

/// A pipeline that a lane stands for.
struct MapMember {
  size_t source = 0;
  std::string pipeline;
  std::vector<size_t> route; ///< indices of nodes
};

/// A coloured line: a pipeline, or several of one kind.
struct MapLane {
  std::string name;
  std::string color; ///< "#rrggbb" of a manifest; empty: the palette's
  std::vector<MapMember> members;
  bool isOthers = false; ///< what is left over once lanes have run out
};

/// A composite bubble whose inside is on the map.
struct MapGroup {
  std::string name;
  std::vector<size_t> nodes;
};

/// A pipeline by its manifest's name and its own.
using PipelineName = std::pair<std::string, std::string>;

struct SpaceMap {
  std::vector<MapSource> sources;
  std::vector<MapNode> nodes; ///< each after all that lead to it
  std::vector<MapEdge> edges;
  std::vector<MapLane> lanes;
  std::vector<MapGroup> groups;
  /// Lanes of which one breaks if the other passes, the lower number first.
  std::set<std::pair<size_t, size_t>> opposed;

  /// The station of a manifest's bubble; of a composite one also by the names
  /// of what is inside.
  std::optional<size_t> nodeOf(size_t source, StringRef bubble) const;
  /// The targets of all sources, each once.
  std::vector<std::string> targetNames() const;
};

struct SpaceMapOptions {
  bool expand = false;  ///< composite bubbles show what is inside
  size_t maxLanes = 12; ///< beyond that, pipelines of one name share a lane
  /// If the one passes, the other breaks.
  std::vector<std::pair<PipelineName, PipelineName>> opposed = {};
};

/// The map of `sources`. It has no cycle: where manifests order the same
/// bubbles differently, a bubble has several stations.
SpaceMap makeSpaceMap(std::vector<MapSource> sources,
                      const SpaceMapOptions &options = {});

} // namespace lh

#endif // LH_INSIGHT_MAP_SPACEMAP_H
