// From a map to positions: Graphviz gives ranks and columns, the lanes' order
// and offsets are ours.
#include "map/Layout.h"

#include "map/Channel.h"
#include "map/Ranks.h"
#include "map/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace lh;

namespace {

/// A station, or the place where an edge passes a row without a stop.
struct Vertex {
  bool isStation = false;
  unsigned rank = 0;
  double x = 0;
  std::vector<size_t> lanes;   ///< from left to right
  std::vector<size_t> in, out; ///< hops
};

/// A part of an edge, from one row to the next.
struct Hop {
  size_t from = 0, to = 0, edge = 0;
};

class MapPlacer {
public:
  explicit MapPlacer(SpaceMap map) { layout.map = std::move(map); }
  FailureOr<MapLayout> place();

private:
  const SpaceMap &map() const { return layout.map; }
  double halfWidth(size_t lanes) const;
  double labelWidth(size_t node) const;
  RankGraph stationGraph() const;
  bool findRanks();
  void splitEdges();
  void splitEdge(size_t edge);
  bool findColumns();
  void orderLanes();
  std::vector<double> signature(size_t vertex, size_t lane, bool forward) const;
  double slot(size_t vertex, size_t lane) const;
  void placeRows();
  void placeNodes();
  void drawStretches();
  void drawTermini();
  void placeGroups();
  void findExtent();

  MapLayout layout;
  std::vector<Vertex> vertices; ///< stations first
  std::vector<Hop> hops;
  std::vector<double> rows;                ///< the middle of each rank
  std::vector<std::vector<double>> trackY; ///< of each hop and lane of its edge
};

} // namespace

std::string lh::shownName(const MapNode &node) {
  return shortened(node.name, 26);
}

std::string lh::shownSummary(const MapNode &node) {
  return shortened(node.summary, 32);
}

double MapPlacer::halfWidth(size_t lanes) const {
  return (static_cast<double>(std::max<size_t>(lanes, 1)) - 1) / 2 *
             layout.metrics.pitch +
         7;
}

double MapPlacer::labelWidth(size_t node) const {
  const MapNode &one = map().nodes[node];
  double first = textWidth(shownName(one), 13, /*bold=*/true);
  for (const std::string &badge : one.badges)
    first += textWidth(badge, 10) + 18;
  double second = textWidth(shownSummary(one), 11);
  for (const std::string &when : one.whens)
    second += textWidth("when " + shortened(when, 28), 10) + 18;
  return std::max(first, second) + 8;
}

/// The stations alone, below an invisible root that puts sources in one row.
RankGraph MapPlacer::stationGraph() const {
  RankGraph graph;
  graph.vertices.resize(map().nodes.size() + 1);
  size_t root = map().nodes.size();
  for (const MapEdge &edge : map().edges)
    graph.edges.push_back(
        {edge.from, edge.to, static_cast<unsigned>(edge.lanes.size())});
  for (size_t i = 0; i < map().nodes.size(); ++i)
    if (map().nodes[i].isSource)
      graph.edges.push_back({root, i, 1000});
  for (const MapGroup &group : map().groups)
    graph.clusters.push_back(group.nodes);
  return graph;
}

bool MapPlacer::findRanks() {
  FailureOr<std::vector<unsigned>> ranks = ranksOf(stationGraph());
  if (failed(ranks))
    return false;
  vertices.resize(map().nodes.size());
  for (size_t i = 0; i < vertices.size(); ++i) {
    vertices[i].isStation = true;
    vertices[i].rank = (*ranks)[i] - 1;
    vertices[i].lanes = map().nodes[i].lanes;
  }
  return true;
}

void MapPlacer::splitEdge(size_t index) {
  const MapEdge &edge = map().edges[index];
  size_t from = edge.from;
  for (unsigned rank = vertices[edge.from].rank + 1;
       rank <= vertices[edge.to].rank; ++rank) {
    size_t to = edge.to;
    if (rank < vertices[edge.to].rank) {
      to = vertices.size();
      vertices.push_back({false, rank, 0, edge.lanes, {}, {}});
    }
    vertices[from].out.push_back(hops.size());
    vertices[to].in.push_back(hops.size());
    hops.push_back({from, to, index});
    from = to;
  }
}

void MapPlacer::splitEdges() {
  for (size_t edge = 0; edge < map().edges.size(); ++edge)
    splitEdge(edge);
}

bool MapPlacer::findColumns() {
  RankGraph graph;
  double widest = 0;
  for (size_t i = 0; i < vertices.size(); ++i) {
    double half = halfWidth(vertices[i].lanes.size());
    if (vertices[i].isStation) {
      widest = std::max(widest, half);
      graph.vertices.push_back(
          {half + layout.metrics.labelGap + labelWidth(i), true});
    } else {
      graph.vertices.push_back({2 * half - 14, false});
    }
  }
  for (const Hop &hop : hops)
    graph.edges.push_back(
        {hop.from, hop.to,
         static_cast<unsigned>(2 * map().edges[hop.edge].lanes.size())});
  size_t root = vertices.size();
  graph.vertices.push_back({1, false});
  for (size_t i = 0; i < map().nodes.size(); ++i)
    if (map().nodes[i].isSource)
      graph.edges.push_back({root, i, 0});
  for (const MapGroup &group : map().groups)
    graph.clusters.push_back(group.nodes);
  graph.separation = widest + 12;
  FailureOr<std::vector<RankPosition>> positions = positionsOf(graph);
  if (failed(positions))
    return false;
  for (size_t i = 0; i < vertices.size(); ++i)
    vertices[i].x = std::round((*positions)[i].x);
  return true;
}

/// The columns that a lane goes through from a vertex on.
std::vector<double> MapPlacer::signature(size_t vertex, size_t lane,
                                         bool forward) const {
  std::vector<double> columns;
  for (bool moves = true; moves;) {
    moves = false;
    double best = 0;
    size_t next = 0;
    for (size_t hop : forward ? vertices[vertex].out : vertices[vertex].in) {
      size_t other = forward ? hops[hop].to : hops[hop].from;
      if (!llvm::is_contained(map().edges[hops[hop].edge].lanes, lane) ||
          (moves && vertices[other].x >= best))
        continue;
      moves = true;
      best = vertices[other].x;
      next = other;
    }
    if (moves) {
      columns.push_back(best);
      vertex = next;
    }
  }
  return columns;
}

/// Lanes stand side by side in the order in which they will part, so that they
/// cut each other at most where they meet.
void MapPlacer::orderLanes() {
  for (size_t i = 0; i < vertices.size(); ++i) {
    std::vector<std::pair<std::vector<double>, size_t>> keyed;
    for (size_t lane : vertices[i].lanes) {
      std::vector<double> key = signature(i, lane, true);
      key.push_back(-1e9); // a lane that ends is left of those that go on
      llvm::append_range(key, signature(i, lane, false));
      keyed.emplace_back(std::move(key), lane);
    }
    llvm::sort(keyed);
    for (size_t j = 0; j < keyed.size(); ++j)
      vertices[i].lanes[j] = keyed[j].second;
  }
}

double MapPlacer::slot(size_t vertex, size_t lane) const {
  ArrayRef<size_t> lanes = vertices[vertex].lanes;
  auto place = static_cast<double>(llvm::find(lanes, lane) - lanes.begin());
  return vertices[vertex].x +
         (place - (static_cast<double>(lanes.size()) - 1) / 2) *
             layout.metrics.pitch;
}

/// Gives each lane its track between rows, and rows the room for that.
void MapPlacer::placeRows() {
  unsigned ranks = 0;
  for (const Vertex &vertex : vertices)
    ranks = std::max(ranks, vertex.rank + 1);
  trackY.resize(hops.size());
  const MapMetrics &metrics = layout.metrics;
  double y = 0;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    rows.push_back(y);
    std::vector<Crossing> crossings;
    for (const Hop &hop : hops)
      if (vertices[hop.from].rank == rank)
        for (size_t lane : map().edges[hop.edge].lanes)
          crossings.push_back({slot(hop.from, lane), slot(hop.to, lane)});
    std::vector<unsigned> tracks = assignTracks(crossings, metrics.pitch);
    double top = y + metrics.rowHeight / 2 + metrics.margin, lowest = top;
    size_t next = 0;
    for (size_t i = 0; i < hops.size(); ++i) {
      if (vertices[hops[i].from].rank != rank)
        continue;
      for (size_t j = 0; j < map().edges[hops[i].edge].lanes.size(); ++j) {
        bool isStraight = crossings[next].isStraight();
        double track = top + tracks[next++] * metrics.pitch;
        trackY[i].push_back(track);
        if (!isStraight)
          lowest = std::max(lowest, track);
      }
    }
    y = lowest + metrics.margin + metrics.rowHeight / 2;
    if (lowest == top) // nothing, or one track
      y -= metrics.margin;
  }
}

void MapPlacer::placeNodes() {
  for (size_t i = 0; i < map().nodes.size(); ++i) {
    PlacedNode node;
    node.x = vertices[i].x;
    node.rank = vertices[i].rank;
    node.y = rows[node.rank];
    node.halfWidth = halfWidth(vertices[i].lanes.size());
    node.labelX = node.x + node.halfWidth + layout.metrics.labelGap;
    node.right = node.labelX + labelWidth(i);
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
    const std::vector<size_t> &lanes = map().edges[edge].lanes;
    for (size_t i = 0; i < lanes.size(); ++i) {
      PlacedStretch stretch{edge, lanes[i], ""};
      llvm::raw_string_ostream path(stretch.path);
      const MapEdge &ends = map().edges[edge];
      path << 'M';
      point(path, slot(ends.from, lanes[i]), layout.nodes[ends.from].y);
      for (size_t hop = 0; hop < hops.size(); ++hop)
        if (hops[hop].edge == edge)
          sideways(path, slot(hops[hop].from, lanes[i]),
                   slot(hops[hop].to, lanes[i]), trackY[hop][i]);
      path << 'V' << llvm::format("%.6g", layout.nodes[ends.to].y);
      path.flush();
      layout.stretches.push_back(std::move(stretch));
    }
  }
}

/// Plates with the lanes' letters, side by side above where they start.
void MapPlacer::drawTermini() {
  for (size_t i = 0; i < map().nodes.size(); ++i) {
    std::vector<size_t> starting;
    for (size_t lane : vertices[i].lanes)
      if (llvm::any_of(map().lanes[lane].members, [&](const auto &member) {
            return !member.route.empty() && member.route.front() == i;
          }))
        starting.push_back(lane);
    for (size_t j = 0; j < starting.size(); ++j) {
      double offset = (static_cast<double>(j) -
                       (static_cast<double>(starting.size()) - 1) / 2) *
                      21;
      PlacedTerminus terminus{i, starting[j], vertices[i].x + offset,
                              layout.nodes[i].y - 46, ""};
      llvm::raw_string_ostream path(terminus.path);
      path << 'M';
      point(path, terminus.x, terminus.y);
      sideways(path, terminus.x, slot(i, starting[j]), layout.nodes[i].y - 24);
      path << 'V' << llvm::format("%.6g", layout.nodes[i].y);
      path.flush();
      layout.termini.push_back(std::move(terminus));
    }
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
  for (const Vertex &vertex : vertices) {
    double half = halfWidth(vertex.lanes.size());
    layout.left = std::min(layout.left, vertex.x - half);
    layout.right = std::max(layout.right, vertex.x + half);
  }
  for (const PlacedTerminus &terminus : layout.termini) {
    layout.left = std::min(layout.left, terminus.x - 12);
    layout.right = std::max(layout.right, terminus.x + 12);
    layout.top = std::min(layout.top, terminus.y - 12);
  }
}

FailureOr<MapLayout> MapPlacer::place() {
  if (!findRanks())
    return failure();
  splitEdges();
  if (!findColumns())
    return failure();
  orderLanes();
  placeRows();
  placeNodes();
  drawStretches();
  drawTermini();
  placeGroups();
  findExtent();
  return std::move(layout);
}

FailureOr<MapLayout> lh::layOut(SpaceMap map) {
  return MapPlacer(std::move(map)).place();
}
