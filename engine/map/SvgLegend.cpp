// The legend of a map that stands by itself.
#include "map/SvgLegend.h"

#include "map/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace lh;

static constexpr double columnWidth = 300;

/// "onnx-to-cpu, matmul-to-cpu", or how many there are.
static std::string manifestsOf(const SpaceMap &map, const MapLane &lane) {
  std::vector<std::string> names;
  for (const MapMember &member : lane.members)
    if (!llvm::is_contained(names, map.sources[member.source].manifest))
      names.push_back(map.sources[member.source].manifest);
  if (names.size() > 3)
    return std::to_string(lane.members.size()) + " pipelines of " +
           std::to_string(names.size()) + " manifests";
  return llvm::join(names, ", ");
}

static double drawLanes(SvgWriter &svg, const SpaceMap &map, double x, double y,
                        size_t columns) {
  size_t perColumn = (map.lanes.size() + columns - 1) / columns;
  for (size_t i = 0; i < map.lanes.size(); ++i) {
    double left = x + static_cast<double>(i / perColumn) * columnWidth;
    double top = y + static_cast<double>(i % perColumn) * 38;
    const MapLane &lane = map.lanes[i];
    svg.open("g", laneAttributes(map, i));
    svg.plate(map, i, left + 10, top + 8);
    svg.text("name", left + 28, top + 7, shortened(lane.name, 34));
    svg.text("summary", left + 28, top + 21,
             shortened(manifestsOf(map, lane), 44));
    svg.close("g");
  }
  return static_cast<double>(perColumn) * 38;
}

/// Chips in lines; returns the height.
static double drawChips(SvgWriter &svg, ArrayRef<std::string> texts, double x,
                        double y, double width) {
  double left = x, top = y;
  for (const std::string &text : texts) {
    std::string shown = shortened(text, 36);
    if (left > x && left + textWidth(shown, 10) + 10 > x + width) {
      left = x;
      top += 20;
    }
    left = svg.chip("badge", left, top, shown) + 6;
  }
  return top - y + 20;
}

/// What the shapes mean; only those that the map has.
static double drawSigns(SvgWriter &svg, const SpaceMap &map, double x,
                        double y) {
  double top = y;
  auto sign = [&](StringRef text, auto draw) {
    draw();
    svg.text("summary", x + 34, top + 4, text);
    top += 22;
  };
  sign("a bubble", [&] { svg.rectangle("stop", x + 4, top - 6, 12, 12, 6); });
  if (llvm::any_of(map.nodes,
                   [](const auto &one) { return !one.inner.empty(); }))
    sign("a bubble made of others", [&] {
      svg.rectangle("ring", x + 1, top - 9, 18, 18, 9);
      svg.rectangle("stop", x + 4, top - 6, 12, 12, 6);
    });
  if (llvm::any_of(map.nodes, [](const auto &one) { return one.isSink; }))
    sign("the end of a pipeline", [&] {
      svg.open("g", " class=\"end\"");
      svg.rectangle("stop", x + 4, top - 6, 12, 12, 6);
      svg.close("g");
    });
  if (llvm::any_of(map.nodes,
                   [](const auto &one) { return !one.whens.empty(); }))
    sign("only where the target has that",
         [&] { svg.chip("when", x, top + 3.5, "when"); });
  return top - y;
}

double lh::drawLegend(SvgWriter &svg, const SpaceMap &map, StringRef title,
                      double x, double y, double width) {
  double top = y + 16;
  svg.text("title", x, top, shortened(title, 40));
  top += 34;
  size_t columns =
      std::clamp<size_t>(static_cast<size_t>(width / columnWidth), 1, 4);
  svg.text("heading", x, top, "PIPELINES");
  top += 16;
  top += drawLanes(svg, map, x, top, columns);
  std::vector<std::string> targets;
  for (const MapSource &source : map.sources)
    for (const MapTarget &target : source.targets)
      if (!llvm::is_contained(targets, target.name))
        targets.push_back(target.name);
  if (!targets.empty()) {
    top += 14;
    svg.text("heading", x, top, "TARGETS");
    top += 20;
    top += drawChips(svg, targets, x, top, width);
  }
  top += 14;
  svg.text("heading", x, top, "SIGNS");
  top += 20;
  return top + drawSigns(svg, map, x, top) - y;
}
