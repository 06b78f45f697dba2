// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map as JSON.
#include "insight/map/Formats.h"
#include "insight/map/Lanes.h"
#include "insight/map/Svg.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;
namespace json = llvm::json;

static json::Value textsOf(ArrayRef<std::string> texts) {
  json::Array array;
  for (const std::string &text : texts)
    array.push_back(json::fixUTF8(text));
  return array;
}

static json::Value numbersOf(ArrayRef<size_t> numbers) {
  json::Array array;
  for (size_t number : numbers)
    array.push_back(number);
  return array;
}

static json::Value sourceJson(const MapSource &source) {
  json::Array targets;
  for (const MapTarget &target : source.targets)
    targets.push_back(json::Object{{"name", json::fixUTF8(target.name)},
                                   {"sweep_points", target.runs}});
  return json::Object{{"name", json::fixUTF8(source.manifest)},
                      {"summary", json::fixUTF8(source.summary)},
                      {"targets", std::move(targets)},
                      {"cases", textsOf(source.cases)}};
}

static json::Value nodeJson(const SpaceMap &map, const MapNode &node) {
  json::Array uses;
  for (const MapUse &use : node.uses)
    uses.push_back(json::Object{
        {"manifest", json::fixUTF8(map.sources[use.source].manifest)},
        {"bubble", json::fixUTF8(use.bubble)}});
  json::Object object{{"name", json::fixUTF8(node.name)},
                      {"kind", json::fixUTF8(node.kind)},
                      {"summary", json::fixUTF8(node.summary)},
                      {"badges", textsOf(node.badges)},
                      {"when", textsOf(node.whens)},
                      {"details", textsOf(node.details)},
                      {"inner", textsOf(node.inner)},
                      {"lanes", numbersOf(node.lanes)},
                      {"uses", std::move(uses)}};
  if (node.group)
    object["group"] = json::fixUTF8(map.groups[*node.group].name);
  return object;
}

static json::Value laneJson(const SpaceMap &map, size_t index) {
  const MapLane &lane = map.lanes[index];
  json::Array pipelines;
  for (const MapMember &member : lane.members)
    pipelines.push_back(json::Object{
        {"manifest", json::fixUTF8(map.sources[member.source].manifest)},
        {"pipeline", json::fixUTF8(member.pipeline)},
        {"route", numbersOf(member.route)}});
  return json::Object{{"letter", laneLetter(index)},
                      {"name", json::fixUTF8(lane.name)},
                      {"color", paletteColor(lane, index)},
                      {"pipelines", std::move(pipelines)}};
}

std::string lh::renderMapJson(const SpaceMap &map, StringRef title) {
  json::Array sources, nodes, edges, lanes;
  for (const MapSource &source : map.sources)
    sources.push_back(sourceJson(source));
  for (const MapNode &node : map.nodes)
    nodes.push_back(nodeJson(map, node));
  for (const MapEdge &edge : map.edges)
    edges.push_back(json::Object{{"from", edge.from},
                                 {"to", edge.to},
                                 {"lanes", numbersOf(edge.lanes)}});
  for (size_t i = 0; i < map.lanes.size(); ++i)
    lanes.push_back(laneJson(map, i));
  std::string text;
  llvm::raw_string_ostream out(text);
  out << llvm::formatv(
      "{0:2}\n", json::Value(json::Object{{"schema", 1},
                                          {"title", json::fixUTF8(title)},
                                          {"manifests", std::move(sources)},
                                          {"bubbles", std::move(nodes)},
                                          {"edges", std::move(edges)},
                                          {"lanes", std::move(lanes)}}));
  return text;
}
