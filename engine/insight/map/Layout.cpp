// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a map in rows to positions and the paths of lanes.
#include "insight/map/Layout.h"

#include "insight/map/Channel.h"
#include "insight/map/Layers.h"
#include "insight/map/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace lh;

namespace {

class MapPlacer {
public:
  MapPlacer(SpaceMap map, Layers layers) : layers(std::move(layers)) {
    layout.map = std::move(map);
  }
  MapLayout place();

private:
  using LaneOfHop = std::pair<size_t, size_t>; ///< hop, lane

  const SpaceMap &map() const { return layout.map; }
  std::vector<std::vector<LaneOfHop>> crossingsBelow(unsigned rank) const;
  double placeTracks(unsigned rank, double top);
  void placeRows();
  void placeNodes();
  void drawStretches();
  void drawTermini(size_t node);
  void placeGroups();
  void findExtent();

  MapLayout layout;
  Layers layers;
  std::vector<double> rows;            ///< the middle of each rank
  std::map<LaneOfHop, double> trackOf; ///< the height of its sideways part
};

} // namespace

std::string lh::shownName(const MapNode &node) {
  // The frame around it says what it is inside of.
  StringRef name = node.name;
  return shortened(node.group ? name.split('/').second : name, 26);
}

std::string lh::shownSummary(const MapNode &node) {
  return shortened(node.summary, 32);
}

/// What runs sideways below a row, lane by lane. Where a lane forks at a
/// station, or joins at one, it has one track for all of that.
std::vector<std::vector<MapPlacer::LaneOfHop>>
MapPlacer::crossingsBelow(unsigned rank) const {
  std::map<size_t, std::vector<size_t>> hopsOf; // of each lane
  for (size_t i = 0; i < layers.hops.size(); ++i) {
    const LayerHop &hop = layers.hops[i];
    if (layers.vertices[hop.from].rank == rank)
      for (size_t lane : hop.lanes)
        if (!layers.isStraight(hop, lane))
          hopsOf[lane].push_back(i);
  }
  std::vector<std::vector<LaneOfHop>> crossings;
  for (const auto &[lane, hops] : hopsOf) {
    std::map<size_t, std::vector<LaneOfHop>> bySource, byTarget;
    for (size_t hop : hops) {
      bySource[layers.hops[hop].from].emplace_back(hop, lane);
      byTarget[layers.hops[hop].to].emplace_back(hop, lane);
    }
    for (auto &[end, group] :
         bySource.size() <= byTarget.size() ? bySource : byTarget)
      crossings.push_back(std::move(group));
  }
  return crossings;
}

/// Gives what runs sideways below a row its tracks; returns the lowest, or
/// `top` if there is none.
double MapPlacer::placeTracks(unsigned rank, double top) {
  std::vector<std::vector<LaneOfHop>> groups = crossingsBelow(rank);
  std::vector<Crossing> crossings;
  for (const auto &group : groups) {
    Crossing crossing;
    for (auto [hop, lane] : group) {
      crossing.tops.push_back(layers.slot(layers.hops[hop].from, lane));
      crossing.bottoms.push_back(layers.slot(layers.hops[hop].to, lane));
    }
    crossings.push_back(std::move(crossing));
  }
  std::vector<unsigned> tracks = assignTracks(crossings, layers.pitch);
  double lowest = top;
  for (size_t i = 0; i < groups.size(); ++i) {
    double y = top + tracks[i] * layers.pitch;
    lowest = std::max(lowest, y);
    for (LaneOfHop one : groups[i])
      trackOf[one] = y;
  }
  return lowest;
}

void MapPlacer::placeRows() {
  unsigned ranks = 0;
  for (const LayerVertex &vertex : layers.vertices)
    ranks = std::max(ranks, vertex.rank + 1);
  const MapMetrics &metrics = layout.metrics;
  double y = 0;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    rows.push_back(y);
    double top = y + metrics.rowHeight / 2 + metrics.margin;
    size_t before = trackOf.size();
    double lowest = placeTracks(rank, top);
    y = lowest + metrics.rowHeight / 2;
    if (trackOf.size() > before)
      y += metrics.margin;
  }
}

void MapPlacer::placeNodes() {
  for (size_t i = 0; i < map().nodes.size(); ++i) {
    PlacedNode node;
    const LayerVertex &vertex = layers.vertices[i];
    node.x = vertex.x;
    node.rank = vertex.rank;
    node.y = rows[node.rank];
    node.halfWidth = stationHalfWidth(vertex.lanes.size(), layout.metrics);
    node.labelX = node.x + node.halfWidth + layout.metrics.labelGap;
    node.right = node.labelX + labelWidth(map().nodes[i]);
    layout.nodes.push_back(node);
  }
}

static void point(llvm::raw_ostream &path, double x, double y) {
  path << llvm::format("%.6g", x) << ' ' << llvm::format("%.6g", y);
}

/// From `from` to `to` by way of the height `y`, with round corners.
static void sideways(llvm::raw_ostream &path, double from, double to,
                     double y) {
  double distance = std::abs(to - from);
  if (distance < 0.5)
    return;
  if (distance <= 26) {
    path << 'V' << llvm::format("%.6g", y - 11) << 'C';
    point(path, from, y);
    path << ' ';
    point(path, to, y);
    path << ' ';
    point(path, to, y + 11);
    return;
  }
  double radius = 11, side = to > from ? radius : -radius;
  path << 'V' << llvm::format("%.6g", y - radius) << 'Q';
  point(path, from, y);
  path << ' ';
  point(path, from + side, y);
  path << 'H' << llvm::format("%.6g", to - side) << 'Q';
  point(path, to, y);
  path << ' ';
  point(path, to, y + radius);
}

void MapPlacer::drawStretches() {
  for (size_t edge = 0; edge < map().edges.size(); ++edge) {
    const MapEdge &ends = map().edges[edge];
    for (size_t lane : ends.lanes) {
      PlacedStretch stretch{edge, lane, ""};
      llvm::raw_string_ostream path(stretch.path);
      path << 'M';
      point(path, layers.slot(ends.from, lane), layout.nodes[ends.from].y);
      for (size_t index : layers.edgeHops[edge]) {
        const LayerHop &hop = layers.hops[index];
        if (!layers.isStraight(hop, lane))
          sideways(path, layers.slot(hop.from, lane), layers.slot(hop.to, lane),
                   trackOf.at({index, lane}));
      }
      path << 'V' << llvm::format("%.6g", layout.nodes[ends.to].y);
      path.flush();
      layout.stretches.push_back(std::move(stretch));
    }
  }
}

/// The lanes of which a pipeline starts at a station.
static std::vector<size_t> lanesFrom(const SpaceMap &map, size_t node,
                                     ArrayRef<size_t> lanes) {
  std::vector<size_t> starting;
  for (size_t lane : lanes)
    if (llvm::any_of(map.lanes[lane].members, [&](const MapMember &member) {
          return !member.route.empty() && member.route.front() == node;
        }))
      starting.push_back(lane);
  return starting;
}

/// Plates with the lanes' letters, side by side above where they start.
void MapPlacer::drawTermini(size_t node) {
  std::vector<size_t> lanes =
      lanesFrom(map(), node, layers.vertices[node].lanes);
  std::vector<Crossing> crossings;
  for (size_t i = 0; i < lanes.size(); ++i) {
    double offset =
        static_cast<double>(i) - (static_cast<double>(lanes.size()) - 1) / 2;
    crossings.push_back({{layers.vertices[node].x + 21 * offset},
                         {layers.slot(node, lanes[i])}});
  }
  std::vector<unsigned> tracks = assignTracks(crossings, layers.pitch);
  double below = layout.nodes[node].y, lowest = 0;
  for (unsigned track : tracks)
    lowest = std::max(lowest, track * layers.pitch);
  for (size_t i = 0; i < lanes.size(); ++i) {
    double x = crossings[i].tops.front();
    PlacedTerminus terminus{node, lanes[i], x, below - 46 - lowest, ""};
    llvm::raw_string_ostream path(terminus.path);
    path << 'M';
    point(path, x, terminus.y);
    sideways(path, x, crossings[i].bottoms.front(),
             below - 24 - lowest + tracks[i] * layers.pitch);
    path << 'V' << llvm::format("%.6g", below);
    path.flush();
    layout.termini.push_back(std::move(terminus));
  }
}

void MapPlacer::placeGroups() {
  for (const MapGroup &group : map().groups) {
    double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
    for (size_t node : group.nodes) {
      const PlacedNode &placed = layout.nodes[node];
      left = std::min(left, placed.x - placed.halfWidth - 6);
      right = std::max(right, placed.right);
      top = std::min(top, placed.y - 22);
      bottom = std::max(bottom, placed.y + 20);
    }
    layout.groups.push_back({left, top, right - left, bottom - top});
  }
}

void MapPlacer::findExtent() {
  if (layout.nodes.empty())
    return;
  layout.left = layout.top = 1e9;
  layout.right = layout.bottom = -1e9;
  for (const PlacedNode &node : layout.nodes) {
    layout.left = std::min(layout.left, node.x - node.halfWidth - 8);
    layout.right = std::max(layout.right, node.right);
    layout.top = std::min(layout.top, node.y - 20);
    layout.bottom = std::max(layout.bottom, node.y + 24);
  }
  for (const LayerVertex &vertex : layers.vertices) {
    double half = stationHalfWidth(vertex.lanes.size(), layout.metrics);
    layout.left = std::min(layout.left, vertex.x - half);
    layout.right = std::max(layout.right, vertex.x + half);
  }
  for (const PlacedTerminus &terminus : layout.termini) {
    layout.left = std::min(layout.left, terminus.x - 12);
    layout.right = std::max(layout.right, terminus.x + 12);
    layout.top = std::min(layout.top, terminus.y - 12);
  }
}

MapLayout MapPlacer::place() {
  placeRows();
  placeNodes();
  drawStretches();
  for (size_t node = 0; node < map().nodes.size(); ++node)
    drawTermini(node);
  placeGroups();
  findExtent();
  return std::move(layout);
}

FailureOr<MapLayout> lh::layOut(SpaceMap map) {
  FailureOr<Layers> layers = makeLayers(map, {});
  if (failed(layers))
    return failure();
  return MapPlacer(std::move(map), std::move(*layers)).place();
}
