// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map in rows: stations, and the places where edges pass a row.
#ifndef LH_INSIGHT_MAP_LAYERS_H
#define LH_INSIGHT_MAP_LAYERS_H

#include "insight/map/Layout.h"

namespace lh {

/// A station, or the place where edges to one station pass a row.
struct LayerVertex {
  bool isStation = false;
  unsigned rank = 0;
  double x = 0;
  std::vector<size_t> lanes;   ///< from left to right
  std::vector<size_t> in, out; ///< hops
};

/// From one row to the next.
struct LayerHop {
  size_t from = 0, to = 0;
  std::vector<size_t> lanes; ///< ascending
};

struct Layers {
  std::vector<LayerVertex> vertices; ///< stations first, as nodes
  std::vector<LayerHop> hops;
  std::vector<std::vector<size_t>> edgeHops; ///< of each edge of the map
  double pitch = 8;

  /// Where a lane goes through a vertex.
  double slot(size_t vertex, size_t lane) const;
  /// Whether a lane goes straight down.
  bool isStraight(const LayerHop &hop, size_t lane) const;
};

/// Half of a station's width.
double stationHalfWidth(size_t lanes, const MapMetrics &metrics);
/// The width of all that is written beside a station.
double labelWidth(const MapNode &node);

/// Ranks and columns by Graphviz, lanes side by side in an order in which they
/// cut each other little. Fails only when Graphviz does.
FailureOr<Layers> makeLayers(const SpaceMap &map, const MapMetrics &metrics);

} // namespace lh

#endif // LH_INSIGHT_MAP_LAYERS_H
