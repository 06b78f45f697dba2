// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run's manifest declares, as a part of its JSON report.
#include "insight/report/SpaceJson.h"

#include "insight/report/JsonCursor.h"

using namespace lh;
using Json = nlohmann::ordered_json;

static Json bubbleJson(const MapBubble &bubble) {
  return {{"name", bubble.name},      {"identity", bubble.identity},
          {"kind", bubble.kind},      {"summary", bubble.summary},
          {"when", bubble.when},      {"settings", bubble.settings},
          {"details", bubble.details}};
}

Json lh::spaceJson(const MapSource &space) {
  Json json = {{"manifest", space.manifest},
               {"summary", space.summary},
               {"cases", space.cases}};
  for (const char *list : {"bubbles", "pipelines", "targets"})
    json[list] = Json::array();
  for (const MapBubble &bubble : space.bubbles)
    json["bubbles"].push_back(bubbleJson(bubble));
  for (const MapPipeline &pipeline : space.pipelines)
    json["pipelines"].push_back({{"name", pipeline.name},
                                 {"color", pipeline.color},
                                 {"path", pipeline.path}});
  for (const MapTarget &target : space.targets)
    json["targets"].push_back(
        {{"name", target.name}, {"sweep_points", target.runs}});
  return json;
}

static std::vector<std::string> textsFrom(const JsonCursor &object,
                                          const char *key) {
  std::vector<std::string> texts;
  object.each(key,
              [&](const JsonCursor &text) { texts.push_back(text.asText()); });
  return texts;
}

MapSource lh::spaceFrom(const JsonCursor &object) {
  MapSource space;
  space.manifest = object.text("manifest");
  space.summary = object.textOr("summary", "");
  space.cases = textsFrom(object, "cases");
  object.each("bubbles", [&](const JsonCursor &item) {
    space.bubbles.push_back(
        {item.text("name"), item.text("identity"), item.text("kind"),
         item.textOr("summary", ""), item.textOr("when", ""),
         item.textOr("settings", ""), textsFrom(item, "details")});
  });
  object.each("pipelines", [&](const JsonCursor &item) {
    MapPipeline pipeline{item.text("name"), item.textOr("color", ""), {}};
    item.each("path", [&](const JsonCursor &index) {
      pipeline.path.push_back(index.asIndex(space.bubbles.size()));
    });
    space.pipelines.push_back(std::move(pipeline));
  });
  object.each("targets", [&](const JsonCursor &item) {
    int64_t points = item.integerOr("sweep_points", 1);
    space.targets.push_back(
        {item.text("name"), static_cast<size_t>(std::max<int64_t>(points, 1))});
  });
  return space;
}
