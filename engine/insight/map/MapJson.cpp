// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map as JSON.
#include "core/json/Json.h"
#include "insight/map/Formats.h"
#include "insight/map/Lanes.h"
#include "insight/map/Svg.h"

using namespace lh;

static Json sourceJson(const MapSource &source) {
  Json targets = Json::array();
  for (const MapTarget &target : source.targets)
    targets.push_back({{"name", target.name}, {"sweep_points", target.runs}});
  return {{"cases", source.cases},
          {"name", source.manifest},
          {"summary", source.summary},
          {"targets", std::move(targets)}};
}

static Json nodeJson(const SpaceMap &map, const MapNode &node) {
  Json uses = Json::array();
  for (const MapUse &use : node.uses)
    uses.push_back({{"bubble", use.bubble},
                    {"manifest", map.sources[use.source].manifest}});
  Json json = {{"badges", node.badges}, {"details", node.details}};
  if (node.group)
    json["group"] = map.groups[*node.group].name;
  json.update({{"inner", node.inner},
               {"kind", node.kind},
               {"lanes", node.lanes},
               {"name", node.name},
               {"summary", node.summary},
               {"uses", std::move(uses)},
               {"when", node.whens}});
  return json;
}

static Json laneJson(const SpaceMap &map, size_t index) {
  const MapLane &lane = map.lanes[index];
  Json pipelines = Json::array();
  for (const MapMember &member : lane.members)
    pipelines.push_back({{"manifest", map.sources[member.source].manifest},
                         {"pipeline", member.pipeline},
                         {"route", member.route}});
  return {{"color", paletteColor(lane, index)},
          {"letter", laneLetter(index)},
          {"name", lane.name},
          {"pipelines", std::move(pipelines)}};
}

std::string lh::renderMapJson(const SpaceMap &map, StringRef title) {
  Json sources = Json::array(), nodes = Json::array(), edges = Json::array(),
       lanes = Json::array();
  for (const MapSource &source : map.sources)
    sources.push_back(sourceJson(source));
  for (const MapNode &node : map.nodes)
    nodes.push_back(nodeJson(map, node));
  for (const MapEdge &edge : map.edges)
    edges.push_back(
        {{"from", edge.from}, {"lanes", edge.lanes}, {"to", edge.to}});
  for (size_t i = 0; i < map.lanes.size(); ++i)
    lanes.push_back(laneJson(map, i));
  return printJson({{"bubbles", std::move(nodes)},
                    {"edges", std::move(edges)},
                    {"lanes", std::move(lanes)},
                    {"manifests", std::move(sources)},
                    {"opposed", map.opposed},
                    {"schema", 1},
                    {"title", title.str()}});
}
