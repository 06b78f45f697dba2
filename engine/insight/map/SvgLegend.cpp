// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The legend of a map that stands by itself.
#include "insight/map/SvgLegend.h"

#include "insight/map/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace lh;

static constexpr double columnWidth = 300;

/// "onnx-to-cpu, 17 bubbles", or how much it stands for.
static std::string describe(const SpaceMap &map, const MapLane &lane) {
  std::vector<std::string> names;
  size_t shortest = lane.members.front().route.size(), longest = shortest;
  for (const MapMember &member : lane.members) {
    if (!llvm::is_contained(names, map.sources[member.source].manifest))
      names.push_back(map.sources[member.source].manifest);
    shortest = std::min(shortest, member.route.size());
    longest = std::max(longest, member.route.size());
  }
  std::string text =
      std::to_string(longest) + (longest == 1 ? " bubble" : " bubbles");
  if (shortest != longest)
    text = std::to_string(shortest) + " to " + text;
  if (lane.members.size() > 1)
    text = std::to_string(lane.members.size()) + " pipelines, " + text;
  bool isNamed = StringRef(lane.name).ends_with(")");
  return names.size() == 1 && map.sources.size() > 1 && !isNamed
             ? names.front() + ", " + text
             : text;
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
             shortened(describe(map, lane), 44));
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
static double drawSigns(SvgWriter &svg, const SpaceMap &map, double x, double y,
                        double width) {
  double left = x, top = y;
  auto sign = [&](StringRef text, double room, auto draw) {
    double needed = room + 8 + textWidth(text, 11) + 22;
    if (left > x && left + needed > x + width) {
      left = x;
      top += 24;
    }
    draw();
    svg.text("summary", left + room + 8, top + 4, text);
    left += needed;
  };
  auto has = [&](auto test) { return llvm::any_of(map.nodes, test); };
  sign("bubble", 20,
       [&] { svg.rectangle("stop", left + 4, top - 7, 14, 14, 7); });
  if (has([](const auto &one) { return !one.inner.empty(); }))
    sign("chain of bubbles", 20, [&] {
      svg.rectangle("ring", left + 1, top - 10, 20, 20, 10);
      svg.rectangle("stop", left + 4, top - 7, 14, 14, 7);
    });
  if (has([](const auto &one) { return one.isSink; }))
    sign("end", 20, [&] {
      svg.open("g", " class=\"end\"");
      svg.rectangle("stop", left + 4, top - 7, 14, 14, 7);
      svg.close("g");
    });
  if (has([](const auto &one) { return !one.whens.empty(); }))
    sign("only on some targets", 36,
         [&] { svg.chip("when", left, top + 3.5, "when"); });
  return top - y + 20;
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
  std::vector<std::string> targets = map.targetNames();
  if (!targets.empty()) {
    top += 14;
    svg.text("heading", x, top, "TARGETS");
    top += 20;
    top += drawChips(svg, targets, x, top, width);
  }
  top += 14;
  svg.text("heading", x, top, "SIGNS");
  top += 20;
  return top + drawSigns(svg, map, x, top, width) - y;
}
