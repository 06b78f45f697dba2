// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins manifests to one map.
#include "insight/map/SpaceMap.h"

#include "insight/map/Lanes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>

using namespace lh;

namespace {

/// A bubble as one station: elementary, or a composite one as a whole.
struct Item {
  MapBubble bubble;
  std::vector<std::string> inner; ///< the full names of what is inside
  std::string group;              ///< the composite bubble that it is of
  size_t chain = 0;               ///< which of the manifest's, if it is of one
};

/// A manifest as a graph of items.
struct ItemGraph {
  std::vector<Item> items;
  std::vector<std::vector<size_t>> routes; ///< of each pipeline
  std::vector<std::set<size_t>> before;    ///< the predecessors of each item
  std::vector<size_t> order;               ///< each after its predecessors
};

class SpaceBuilder {
public:
  SpaceBuilder(std::vector<MapSource> sources, const SpaceMapOptions &options)
      : options(options) {
    map.sources = std::move(sources);
  }
  SpaceMap build();

private:
  void add(size_t source);
  size_t place(size_t source, const ItemGraph &graph, size_t item,
               ArrayRef<size_t> nodeOf);
  void addNode(size_t source, const Item &item);
  bool reaches(size_t from, const std::set<size_t> &goals) const;
  void describe(MapNode &node, size_t source, const Item &item);
  void sortNodes();
  void addEdges();
  void addBadges();
  void addOpposed();

  SpaceMapOptions options;
  SpaceMap map;
  std::vector<std::set<std::string>> settings; ///< of each node
  std::vector<std::set<size_t>> after;         ///< of each node
  std::map<std::string, std::vector<size_t>> byIdentity;
  std::map<std::pair<size_t, size_t>, size_t> groups; ///< by source and chain
  std::vector<MapMember> members;
};

} // namespace

static StringRef outerName(StringRef name) { return name.split('/').first; }

/// A chain "a/x", "a/y/u", "a/y/v" as the one bubble "a" of "x" and "y".
static Item collapsed(ArrayRef<MapBubble> chain) {
  Item item;
  item.bubble = chain.front();
  item.bubble.name = outerName(chain.front().name).str();
  item.bubble.kind = "composite";
  item.bubble.identity = "composite";
  item.bubble.summary.clear();
  item.bubble.settings.clear();
  item.bubble.details.clear();
  StringRef last;
  for (const MapBubble &inner : chain) {
    StringRef name = StringRef(inner.name).split('/').second;
    if (outerName(name) != last) {
      if (!item.inner.empty())
        item.bubble.summary += " \u203a "; // a chain, in its order
      last = outerName(name);
      item.bubble.summary += last;
    }
    item.bubble.identity += "\n" + inner.identity;
    item.bubble.settings += inner.settings + "\n";
    item.bubble.details.push_back(name.str() + ": " + inner.summary);
    if (inner.when != item.bubble.when)
      item.bubble.details.push_back((name + ": only when " + inner.when).str());
    item.inner.push_back(inner.name);
  }
  return item;
}

/// The bubbles from `begin` on that are inside of the same composite one.
static ArrayRef<MapBubble> chainAt(const MapSource &source, size_t begin) {
  ArrayRef<MapBubble> rest = ArrayRef(source.bubbles).drop_front(begin);
  if (!StringRef(rest.front().name).contains('/'))
    return rest.take_front(1);
  return rest.take_while([&](const MapBubble &one) {
    return StringRef(one.name).contains('/') &&
           outerName(one.name) == outerName(rest.front().name);
  });
}

/// A bubble of a chain that is shown. Chains are shared as a whole or not at
/// all: a frame round half of one could not be drawn.
static Item inside(const MapBubble &bubble, const std::string &chain,
                   size_t number) {
  Item item{bubble, {}, outerName(bubble.name).str(), number};
  item.bubble.identity = chain + "\n" + bubble.name;
  return item;
}

/// The items of `source`, and the item of each of its bubbles.
static std::vector<size_t> addItems(const MapSource &source, bool expand,
                                    std::vector<Item> &items) {
  std::vector<size_t> itemOf;
  while (itemOf.size() < source.bubbles.size()) {
    size_t begin = itemOf.size();
    ArrayRef<MapBubble> chain = chainAt(source, begin);
    if (chain.size() == 1) {
      items.push_back({chain.front(), {}, "", 0});
    } else if (!expand) {
      items.push_back(collapsed(chain));
    } else {
      std::string identity = collapsed(chain).bubble.identity;
      for (const MapBubble &bubble : chain)
        items.push_back(inside(bubble, identity, begin));
    }
    size_t first = items.size() - (expand ? chain.size() : 1);
    for (size_t i = 0; i < chain.size(); ++i)
      itemOf.push_back(expand ? first + i : first);
  }
  return itemOf;
}

/// The items in an order in which each comes after its predecessors; routes
/// without a cycle are given.
static std::vector<size_t> orderOf(ArrayRef<std::set<size_t>> before) {
  std::vector<size_t> order;
  std::vector<bool> done(before.size());
  while (order.size() < before.size()) {
    size_t count = order.size();
    for (size_t item = 0; item < before.size(); ++item)
      if (!done[item] &&
          llvm::all_of(before[item], [&](size_t one) { return done[one]; })) {
        done[item] = true;
        order.push_back(item);
      }
    assert(order.size() > count && "a manifest's graph has no cycle");
    if (order.size() == count)
      break;
  }
  return order;
}

static ItemGraph itemGraph(const MapSource &source, bool expand) {
  ItemGraph graph;
  std::vector<size_t> itemOf = addItems(source, expand, graph.items);
  graph.before.resize(graph.items.size());
  for (const MapPipeline &pipeline : source.pipelines) {
    std::vector<size_t> route;
    for (size_t bubble : pipeline.path)
      if (route.empty() || route.back() != itemOf[bubble])
        route.push_back(itemOf[bubble]);
    for (size_t i = 1; i < route.size(); ++i)
      graph.before[route[i]].insert(route[i - 1]);
    graph.routes.push_back(std::move(route));
  }
  graph.order = orderOf(graph.before);
  return graph;
}

bool SpaceBuilder::reaches(size_t from, const std::set<size_t> &goals) const {
  std::vector<size_t> open = {from};
  std::vector<bool> seen(map.nodes.size());
  while (!open.empty()) {
    size_t node = open.back();
    open.pop_back();
    if (goals.count(node))
      return true;
    if (seen[node])
      continue;
    seen[node] = true;
    llvm::append_range(open, after[node]);
  }
  return false;
}

static void addOnce(std::vector<std::string> &texts, const std::string &text) {
  if (!text.empty() && !llvm::is_contained(texts, text))
    texts.push_back(text);
}

void SpaceBuilder::describe(MapNode &node, size_t source, const Item &item) {
  node.uses.push_back({source, item.bubble.name});
  for (const std::string &inner : item.inner)
    node.uses.push_back({source, inner});
  addOnce(node.whens, item.bubble.when);
  for (const std::string &line : item.bubble.details)
    addOnce(node.details, line);
  if (node.inner.empty())
    for (const std::string &inner : item.inner)
      node.inner.push_back(StringRef(inner).split('/').second.str());
}

void SpaceBuilder::addNode(size_t source, const Item &item) {
  MapNode node;
  node.name = item.bubble.name;
  node.kind = item.bubble.kind;
  node.summary = item.bubble.summary;
  if (!item.group.empty()) {
    auto [entry, isNew] =
        groups.emplace(std::pair(source, item.chain), map.groups.size());
    if (isNew)
      map.groups.push_back({item.group, {}});
    node.group = entry->second;
  }
  byIdentity[item.bubble.identity].push_back(map.nodes.size());
  map.nodes.push_back(std::move(node));
  settings.emplace_back();
  after.emplace_back();
}

/// The station for an item: one that does the same, if that closes no cycle.
size_t SpaceBuilder::place(size_t source, const ItemGraph &graph, size_t index,
                           ArrayRef<size_t> nodeOf) {
  const Item &item = graph.items[index];
  std::set<size_t> before;
  for (size_t one : graph.before[index])
    before.insert(nodeOf[one]);
  std::vector<size_t> candidates = byIdentity[item.bubble.identity];
  std::stable_partition(candidates.begin(), candidates.end(), [&](size_t node) {
    return map.nodes[node].name == item.bubble.name;
  });
  size_t chosen = map.nodes.size();
  for (size_t node : candidates)
    if (map.nodes[node].uses.back().source != source &&
        !reaches(node, before)) {
      chosen = node;
      break;
    }
  if (chosen == map.nodes.size())
    addNode(source, item);
  for (size_t one : before)
    after[one].insert(chosen);
  describe(map.nodes[chosen], source, item);
  settings[chosen].insert(item.bubble.settings);
  return chosen;
}

void SpaceBuilder::add(size_t source) {
  ItemGraph graph = itemGraph(map.sources[source], options.expand);
  std::vector<size_t> nodeOf(graph.items.size());
  for (size_t item : graph.order)
    nodeOf[item] = place(source, graph, item, nodeOf);
  for (size_t i = 0; i < graph.routes.size(); ++i) {
    MapMember member{source, map.sources[source].pipelines[i].name, {}};
    for (size_t item : graph.routes[i])
      member.route.push_back(nodeOf[item]);
    members.push_back(std::move(member));
  }
}

/// Puts each node after those that lead to it.
void SpaceBuilder::sortNodes() {
  std::vector<std::set<size_t>> before(map.nodes.size());
  for (size_t node = 0; node < after.size(); ++node)
    for (size_t next : after[node])
      before[next].insert(node);
  std::vector<size_t> order = orderOf(before), place(order.size());
  std::vector<MapNode> nodes;
  std::vector<std::set<std::string>> sorted;
  for (size_t node : order) {
    place[node] = nodes.size();
    nodes.push_back(std::move(map.nodes[node]));
    sorted.push_back(std::move(settings[node]));
  }
  map.nodes = std::move(nodes);
  settings = std::move(sorted);
  for (MapMember &member : members)
    for (size_t &node : member.route)
      node = place[node];
}

void SpaceBuilder::addEdges() {
  std::map<std::pair<size_t, size_t>, std::set<size_t>> lanesOf;
  std::vector<std::set<size_t>> nodeLanes(map.nodes.size());
  std::vector<bool> entered(map.nodes.size()), left(map.nodes.size());
  for (size_t lane = 0; lane < map.lanes.size(); ++lane)
    for (const MapMember &member : map.lanes[lane].members)
      for (size_t i = 0; i < member.route.size(); ++i) {
        nodeLanes[member.route[i]].insert(lane);
        if (i == 0)
          continue;
        lanesOf[{member.route[i - 1], member.route[i]}].insert(lane);
        left[member.route[i - 1]] = entered[member.route[i]] = true;
      }
  for (const auto &[ends, lanes] : lanesOf)
    map.edges.push_back(
        {ends.first, ends.second, {lanes.begin(), lanes.end()}});
  for (size_t i = 0; i < map.nodes.size(); ++i) {
    MapNode &node = map.nodes[i];
    node.lanes.assign(nodeLanes[i].begin(), nodeLanes[i].end());
    node.isSource = !entered[i];
    node.isSink = !left[i];
    if (node.group)
      map.groups[*node.group].nodes.push_back(i);
  }
}

static void addCount(std::vector<std::string> &badges, size_t count,
                     StringRef one, StringRef many) {
  if (count > 0)
    badges.push_back((Twine(count) + " " + (count == 1 ? one : many)).str());
}

/// What is collapsed to one station is counted beside it.
void SpaceBuilder::addBadges() {
  for (size_t i = 0; i < map.nodes.size(); ++i) {
    MapNode &node = map.nodes[i];
    std::set<size_t> sources;
    std::map<std::string, size_t> targets;
    size_t cases = 0, runs = 0;
    for (const MapUse &use : node.uses)
      sources.insert(use.source);
    for (size_t source : sources) {
      cases += map.sources[source].cases.size();
      for (const MapTarget &target : map.sources[source].targets)
        targets[target.name] = std::max(targets[target.name], target.runs);
    }
    for (const auto &[name, count] : targets)
      runs += count;
    if (settings[i].size() > 1)
      addCount(node.badges, settings[i].size(), "variant", "variants");
    if (node.isSource)
      addCount(node.badges, cases, "case", "cases");
    if (node.isSink && node.kind == "execute")
      addCount(node.badges, targets.size(), "target", "targets");
    if (node.isSink && node.kind == "execute" && runs > targets.size())
      addCount(node.badges, runs, "sweep point", "sweep points");
  }
}

static std::optional<size_t> laneOf(const SpaceMap &map,
                                    const PipelineName &pipeline) {
  for (size_t i = 0; i < map.lanes.size(); ++i)
    for (const MapMember &member : map.lanes[i].members)
      if (map.sources[member.source].manifest == pipeline.first &&
          member.pipeline == pipeline.second)
        return i;
  return std::nullopt;
}

/// Pipelines that share a lane can't be told apart there.
void SpaceBuilder::addOpposed() {
  for (const auto &[one, other] : options.opposed) {
    auto first = laneOf(map, one), second = laneOf(map, other);
    if (first && second && first != second)
      map.opposed.insert(std::minmax(*first, *second));
  }
}

SpaceMap SpaceBuilder::build() {
  for (size_t source = 0; source < map.sources.size(); ++source)
    add(source);
  sortNodes();
  map.lanes = makeLanes(std::move(members), map.sources, options.maxLanes);
  addEdges();
  addBadges();
  addOpposed();
  return std::move(map);
}

SpaceMap lh::makeSpaceMap(std::vector<MapSource> sources,
                          const SpaceMapOptions &options) {
  return SpaceBuilder(std::move(sources), options).build();
}

std::vector<std::string> SpaceMap::targetNames() const {
  std::vector<std::string> names;
  for (const MapSource &source : sources)
    for (const MapTarget &target : source.targets)
      if (!llvm::is_contained(names, target.name))
        names.push_back(target.name);
  return names;
}

std::optional<size_t> SpaceMap::nodeOf(size_t source, StringRef bubble) const {
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const MapUse &use : nodes[i].uses)
      if (use.source == source && use.bubble == bubble)
        return i;
  return std::nullopt;
}
