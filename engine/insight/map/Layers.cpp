// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map in rows: Graphviz gives ranks and columns, the lanes' order is ours.
#include "insight/map/Layers.h"

#include "insight/map/Ranks.h"
#include "insight/map/Straighten.h"
#include "insight/map/Text.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace lh;

namespace {

class LayerBuilder {
public:
  LayerBuilder(const SpaceMap &map, const MapMetrics &metrics)
      : map(map), metrics(metrics) {
    layers.pitch = metrics.pitch;
  }
  FailureOr<Layers> build();

private:
  RankGraph stationGraph() const;
  bool findRanks();
  void splitEdge(size_t edge);
  size_t passing(size_t target, unsigned rank);
  size_t hopBetween(size_t from, size_t to);
  unsigned weightOf(const LayerHop &hop) const;
  bool findColumns();
  std::vector<double> signature(size_t vertex, size_t lane, bool forward) const;
  void orderLanes();
  void straightenLanes();

  const SpaceMap &map;
  const MapMetrics &metrics;
  Layers layers;
  std::map<std::pair<size_t, unsigned>, size_t> passingOf;
  std::map<std::pair<size_t, size_t>, size_t> hopOf;
};

} // namespace

double Layers::slot(size_t vertex, size_t lane) const {
  ArrayRef<size_t> lanes = vertices[vertex].lanes;
  auto place = static_cast<double>(llvm::find(lanes, lane) - lanes.begin());
  return vertices[vertex].x +
         (place - (static_cast<double>(lanes.size()) - 1) / 2) * pitch;
}

bool Layers::isStraight(const LayerHop &hop, size_t lane) const {
  return std::abs(slot(hop.from, lane) - slot(hop.to, lane)) < 0.5;
}

double lh::stationHalfWidth(size_t lanes, const MapMetrics &metrics) {
  auto gaps = static_cast<double>(std::max<size_t>(lanes, 1) - 1);
  return gaps / 2 * metrics.pitch + 7;
}

double lh::labelWidth(const MapNode &node) {
  double first = textWidth(shownName(node), 13, /*bold=*/true);
  for (const std::string &badge : node.badges)
    first += textWidth(badge, 10) + 18;
  if (node.group) // the frame's name stands in the same corner
    first += textWidth(StringRef(node.name).split('/').first, 10, true) + 14;
  double second = textWidth(shownSummary(node), 11);
  for (const std::string &when : node.whens)
    second += textWidth("when " + shortened(when, 28), 10) + 18;
  return std::max(first, second) + 8;
}

/// The stations alone, below an invisible root that puts sources in one row.
RankGraph LayerBuilder::stationGraph() const {
  RankGraph graph;
  graph.vertices.resize(map.nodes.size() + 1);
  size_t root = map.nodes.size();
  for (const MapEdge &edge : map.edges)
    graph.edges.push_back(
        {edge.from, edge.to, static_cast<unsigned>(edge.lanes.size())});
  for (size_t i = 0; i < map.nodes.size(); ++i)
    if (map.nodes[i].isSource)
      graph.edges.push_back({root, i, 1000});
  for (const MapGroup &group : map.groups)
    graph.clusters.push_back(group.nodes);
  return graph;
}

/// Whether what an edge leads to lies below, the root above all.
static bool leadsDown(const RankGraph &graph, ArrayRef<unsigned> ranks) {
  return llvm::all_of(graph.edges, [&](const RankEdge &edge) {
    return ranks[edge.from] < ranks[edge.to];
  });
}

bool LayerBuilder::findRanks() {
  RankGraph graph = stationGraph();
  FailureOr<std::vector<unsigned>> ranks = ranksOf(graph);
  // Graphviz ranks each cluster by itself: of two that lead to each other, as
  // groups of several manifests may, it turns edges round.
  if (succeeded(ranks) && !leadsDown(graph, *ranks)) {
    graph.clusters.clear();
    ranks = ranksOf(graph);
  }
  if (failed(ranks) || !leadsDown(graph, *ranks))
    return false;
  layers.vertices.resize(map.nodes.size());
  for (size_t i = 0; i < map.nodes.size(); ++i) {
    layers.vertices[i].isStation = true;
    layers.vertices[i].rank = (*ranks)[i] - 1;
    layers.vertices[i].lanes = map.nodes[i].lanes;
  }
  return true;
}

/// Edges to one station pass a row in one place.
size_t LayerBuilder::passing(size_t target, unsigned rank) {
  auto [entry, isNew] =
      passingOf.emplace(std::pair(target, rank), layers.vertices.size());
  if (isNew)
    layers.vertices.push_back({false, rank, 0, {}, {}, {}});
  return entry->second;
}

size_t LayerBuilder::hopBetween(size_t from, size_t to) {
  auto [entry, isNew] = hopOf.emplace(std::pair(from, to), layers.hops.size());
  if (isNew) {
    layers.vertices[from].out.push_back(layers.hops.size());
    layers.vertices[to].in.push_back(layers.hops.size());
    layers.hops.push_back({from, to, {}});
  }
  return entry->second;
}

static void addLanes(std::vector<size_t> &lanes, ArrayRef<size_t> more) {
  std::vector<size_t> joined;
  std::set_union(lanes.begin(), lanes.end(), more.begin(), more.end(),
                 std::back_inserter(joined));
  lanes = std::move(joined);
}

void LayerBuilder::splitEdge(size_t index) {
  const MapEdge &edge = map.edges[index];
  size_t from = edge.from;
  unsigned last = layers.vertices[edge.to].rank;
  for (unsigned rank = layers.vertices[from].rank + 1; rank <= last; ++rank) {
    size_t to = rank == last ? edge.to : passing(edge.to, rank);
    if (rank < last)
      addLanes(layers.vertices[to].lanes, edge.lanes);
    size_t hop = hopBetween(from, to);
    addLanes(layers.hops[hop].lanes, edge.lanes);
    layers.edgeHops[index].push_back(hop);
    from = to;
  }
}

/// Stops stand below each other, and who passes them makes way.
unsigned LayerBuilder::weightOf(const LayerHop &hop) const {
  auto lanes = static_cast<unsigned>(hop.lanes.size());
  unsigned stops =
      layers.vertices[hop.from].isStation + layers.vertices[hop.to].isStation;
  static constexpr unsigned factors[] = {2, 1, 4};
  return factors[stops] * lanes;
}

bool LayerBuilder::findColumns() {
  RankGraph graph;
  double widest = 0;
  for (size_t i = 0; i < layers.vertices.size(); ++i) {
    const LayerVertex &vertex = layers.vertices[i];
    double half = stationHalfWidth(vertex.lanes.size(), metrics);
    if (vertex.isStation) {
      widest = std::max(widest, half);
      graph.vertices.push_back(
          {half + metrics.labelGap + labelWidth(map.nodes[i]), true});
    } else {
      graph.vertices.push_back({2 * half - 14, false});
    }
  }
  for (const LayerHop &hop : layers.hops)
    graph.edges.push_back({hop.from, hop.to, weightOf(hop)});
  size_t root = layers.vertices.size();
  graph.vertices.push_back({1, false});
  for (size_t i = 0; i < map.nodes.size(); ++i)
    if (map.nodes[i].isSource)
      graph.edges.push_back({root, i, 0});
  for (const MapGroup &group : map.groups)
    graph.clusters.push_back(group.nodes);
  graph.separation = widest + 10;
  FailureOr<std::vector<RankPosition>> positions = positionsOf(graph);
  if (failed(positions))
    return false;
  for (size_t i = 0; i < layers.vertices.size(); ++i)
    layers.vertices[i].x = std::round((*positions)[i].x);
  return true;
}

/// The columns that a lane goes through from a vertex on.
std::vector<double> LayerBuilder::signature(size_t vertex, size_t lane,
                                            bool forward) const {
  std::vector<double> columns;
  for (bool moves = true; moves;) {
    moves = false;
    double best = 0;
    size_t next = 0;
    const LayerVertex &here = layers.vertices[vertex];
    for (size_t index : forward ? here.out : here.in) {
      const LayerHop &hop = layers.hops[index];
      size_t other = forward ? hop.to : hop.from;
      double x = layers.vertices[other].x;
      if (!llvm::is_contained(hop.lanes, lane) || (moves && x >= best))
        continue;
      moves = true;
      best = x;
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
void LayerBuilder::orderLanes() {
  for (size_t i = 0; i < layers.vertices.size(); ++i) {
    std::vector<size_t> &lanes = layers.vertices[i].lanes;
    std::vector<std::pair<std::vector<double>, size_t>> keyed;
    for (size_t lane : lanes) {
      std::vector<double> key = signature(i, lane, true);
      key.push_back(-1e9); // a lane that ends is left of those that go on
      llvm::append_range(key, signature(i, lane, false));
      keyed.emplace_back(std::move(key), lane);
    }
    llvm::sort(keyed);
    for (size_t j = 0; j < keyed.size(); ++j)
      lanes[j] = keyed[j].second;
  }
}

/// Graphviz aligns the middles of stations; what should be straight is lanes.
void LayerBuilder::straightenLanes() {
  std::vector<Column> columns;
  for (size_t i = 0; i < layers.vertices.size(); ++i) {
    const LayerVertex &vertex = layers.vertices[i];
    double half = stationHalfWidth(vertex.lanes.size(), metrics);
    double label =
        vertex.isStation ? metrics.labelGap + labelWidth(map.nodes[i]) : 0;
    columns.push_back({vertex.rank, vertex.x, half, half + label});
  }
  std::vector<UprightWish> wishes;
  for (const LayerHop &hop : layers.hops) {
    size_t lane = hop.lanes.front();
    double from = layers.slot(hop.from, lane) - layers.vertices[hop.from].x;
    double to = layers.slot(hop.to, lane) - layers.vertices[hop.to].x;
    wishes.push_back({hop.from, hop.to, from - to, weightOf(hop)});
  }
  straighten(columns, wishes, 8 * metrics.pitch, 4);
  for (size_t i = 0; i < layers.vertices.size(); ++i)
    layers.vertices[i].x = columns[i].x;
}

FailureOr<Layers> LayerBuilder::build() {
  if (!findRanks())
    return failure();
  layers.edgeHops.resize(map.edges.size());
  for (size_t edge = 0; edge < map.edges.size(); ++edge)
    splitEdge(edge);
  if (!findColumns())
    return failure();
  orderLanes();
  straightenLanes();
  return std::move(layers);
}

FailureOr<Layers> lh::makeLayers(const SpaceMap &map,
                                 const MapMetrics &metrics) {
  return LayerBuilder(map, metrics).build();
}
