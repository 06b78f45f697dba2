// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where everything of a map stands. Positions are in pixels, downwards.
#ifndef LH_INSIGHT_MAP_LAYOUT_H
#define LH_INSIGHT_MAP_LAYOUT_H

#include "insight/map/SpaceMap.h"

namespace lh {

/// The sizes of what is drawn.
struct MapMetrics {
  double pitch = 8; ///< between parallel lanes
  double laneWidth = 6;
  double rowHeight = 32; ///< of a station with its label
  double margin = 11;    ///< of a channel, above and below its tracks
  double labelGap = 9;   ///< from a station to its label
};

struct PlacedNode {
  double x = 0, y = 0;          ///< the station's middle
  double halfWidth = 7;         ///< the station's
  double labelX = 0, right = 0; ///< where the label starts and ends
  unsigned rank = 0;
};

/// A lane along an edge.
struct PlacedStretch {
  size_t edge = 0, lane = 0;
  std::string path; ///< as SVG's `d`
};

/// Where a lane starts: its name plate stands above the station.
struct PlacedTerminus {
  size_t node = 0, lane = 0;
  double x = 0, y = 0;
  std::string path; ///< from the plate to the station
};

struct PlacedGroup {
  double x = 0, y = 0, width = 0, height = 0;
};

struct MapLayout {
  SpaceMap map;
  MapMetrics metrics;
  double left = 0, top = 0, right = 0, bottom = 0;
  std::vector<PlacedNode> nodes; ///< as `map.nodes`
  std::vector<PlacedStretch> stretches;
  std::vector<PlacedTerminus> termini;
  std::vector<PlacedGroup> groups; ///< as `map.groups`
};

/// Places `map`. Fails only when Graphviz does.
FailureOr<MapLayout> layOut(SpaceMap map);

/// A node's name and second line as they are drawn, cut to what has room.
std::string shownName(const MapNode &node);
std::string shownSummary(const MapNode &node);

} // namespace lh

#endif // LH_INSIGHT_MAP_LAYOUT_H
