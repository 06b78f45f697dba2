// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A placed map as SVG, by itself or within a page.
#include "insight/map/Svg.h"

#include "insight/map/PageAssets.h"
#include "insight/map/SvgLegend.h"
#include "insight/map/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>

using namespace lh;

StringRef lh::mapStyles() { return mapCss; }

namespace {

class MapDrawer {
public:
  MapDrawer(const MapLayout &layout, const Decorations &decorations,
            const SvgOptions &options, llvm::raw_ostream &out)
      : layout(layout), map(layout.map), decorations(decorations),
        options(options), svg(out) {}
  void draw();

private:
  void drawGroups();
  void drawStretch(const PlacedStretch &stretch);
  void drawTerminus(const PlacedTerminus &terminus);
  void drawOpposition(size_t one, size_t other);
  void drawStation(size_t node);
  void drawStop(size_t node);
  void drawLabel(size_t node);
  std::string titleOf(size_t node) const;
  const NodeDecoration &decoration(size_t node) const;

  const MapLayout &layout;
  const SpaceMap &map;
  const Decorations &decorations;
  const SvgOptions &options;
  SvgWriter svg;
};

} // namespace

const NodeDecoration &MapDrawer::decoration(size_t node) const {
  static const NodeDecoration none;
  auto found = decorations.nodes.find(node);
  return found == decorations.nodes.end() ? none : found->second;
}

/// Class names can't hold anything else, whoever gives them.
static std::string safeClasses(StringRef text) {
  std::string safe;
  for (char c : text)
    safe += llvm::isAlnum(c) || c == '-' || c == ' ' ? c : '-';
  return safe;
}

static std::string laneClasses(ArrayRef<size_t> lanes) {
  std::string classes;
  for (size_t lane : lanes)
    classes += " on-" + std::to_string(lane);
  return classes;
}

void MapDrawer::drawGroups() {
  for (size_t i = 0; i < map.groups.size(); ++i) {
    const PlacedGroup &group = layout.groups[i];
    svg.rectangle("group", group.x, group.y, group.width, group.height, 10);
    double right = group.x + group.width;
    std::string name = shortened(map.groups[i].name, 26);
    svg.text("group-name", right - textWidth(name, 10, true) - 8, group.y + 13,
             name);
  }
}

void MapDrawer::drawStretch(const PlacedStretch &stretch) {
  const MapEdge &edge = map.edges[stretch.edge];
  std::string attributes = laneAttributes(map, stretch.lane, "stretch");
  attributes += " data-from=\"" + std::to_string(edge.from) + "\" data-to=\"" +
                std::to_string(edge.to) + "\"";
  svg.open("g", attributes);
  svg.path("casing", stretch.path);
  svg.path("track", stretch.path);
  if (isHollow(map, stretch.lane))
    svg.path("core", stretch.path);
  svg.close("g");
}

void MapDrawer::drawTerminus(const PlacedTerminus &terminus) {
  svg.open("g", laneAttributes(map, terminus.lane, "stretch") +
                    " data-from=\"start\" data-to=\"" +
                    std::to_string(terminus.node) + "\"");
  svg.path("casing", terminus.path);
  svg.path("track", terminus.path);
  if (isHollow(map, terminus.lane))
    svg.path("core", terminus.path);
  svg.plate(map, terminus.lane, terminus.x, terminus.y);
  svg.close("g");
}

/// A dashed line from the one's plate to the other's.
void MapDrawer::drawOpposition(size_t one, size_t other) {
  auto plateOf = [&](size_t lane) {
    return llvm::find_if(layout.termini, [&](const PlacedTerminus &terminus) {
      return terminus.lane == lane;
    });
  };
  auto first = plateOf(one), second = plateOf(other);
  if (first == layout.termini.end() || second == layout.termini.end())
    return;
  // An arch over plates beside each other, or to the left of such below each
  // other.
  constexpr double reach = 26;
  bool isWide = std::abs(first->x - second->x) > std::abs(first->y - second->y);
  double left = isWide ? 0 : reach, up = isWide ? reach : 0;
  std::string path;
  llvm::raw_string_ostream(path)
      << llvm::format("M%.1f %.1fC%.1f %.1f %.1f %.1f ", first->x, first->y,
                      first->x - left, first->y - up, second->x - left,
                      second->y - up)
      << llvm::format("%.1f %.1f", second->x, second->y);
  svg.open("g", " class=\"opposed\"");
  svg.title(map.lanes[one].name + " and " + map.lanes[other].name +
            ": if one passes, the other breaks");
  svg.path("opposed", path);
  svg.close("g");
}

/// All that the label has no room for.
std::string MapDrawer::titleOf(size_t index) const {
  const MapNode &node = map.nodes[index];
  if (!decoration(index).title.empty())
    return decoration(index).title;
  std::string title = node.name + ": " + node.summary;
  for (const std::string &badge : node.badges)
    title += ", " + badge;
  for (const std::string &when : node.whens)
    title += "\nwhen " + when;
  title += "\npipelines:";
  for (size_t lane : node.lanes)
    title += " " + laneLetter(lane) + " " + map.lanes[lane].name + ";";
  if (node.kind == "composite")
    title += "\ninside: " + llvm::join(node.inner, ", ");
  title.pop_back();
  return title;
}

void MapDrawer::drawStop(size_t index) {
  const MapNode &node = map.nodes[index];
  const PlacedNode &placed = layout.nodes[index];
  double half = placed.halfWidth;
  if (node.kind == "composite")
    svg.rectangle("ring", placed.x - half - 3, placed.y - 10, 2 * half + 6, 20,
                  10);
  svg.rectangle("stop", placed.x - half, placed.y - 7, 2 * half, 14, 7);
}

void MapDrawer::drawLabel(size_t index) {
  const MapNode &node = map.nodes[index];
  const PlacedNode &placed = layout.nodes[index];
  std::string name = shownName(node), text = decoration(index).text;
  double x = placed.labelX;
  svg.text("name", x, placed.y - 1, name);
  x += textWidth(name, 13, true) + 6;
  for (const std::string &badge : node.badges)
    x = svg.chip("badge", x, placed.y - 1.5, badge) + 5;
  std::string summary = text.empty() ? shownSummary(node) : shortened(text, 40);
  x = placed.labelX;
  svg.text("summary", x, placed.y + 13, summary);
  x += textWidth(summary, 11) + 6;
  for (const std::string &when : node.whens)
    x = svg.chip("when", x, placed.y + 13, "when " + shortened(when, 28)) + 5;
}

void MapDrawer::drawStation(size_t index) {
  const MapNode &node = map.nodes[index];
  const NodeDecoration &extra = decoration(index);
  std::string classes = "station kind-" + safeClasses(node.kind);
  if (node.isSink)
    classes += " end";
  classes += laneClasses(node.lanes);
  if (!extra.classes.empty())
    classes += " " + safeClasses(extra.classes);
  svg.open("g", " class=\"" + classes + "\" id=\"" +
                    escapeMarkup(options.idPrefix) + "-node-" +
                    std::to_string(index) + "\" data-node=\"" +
                    std::to_string(index) + "\"");
  svg.title(titleOf(index));
  if (!extra.link.empty()) {
    const PlacedNode &placed = layout.nodes[index];
    double left = placed.x - placed.halfWidth - 4;
    svg.open("a", " href=\"" + escapeMarkup(extra.link) + "\"");
    // Between the letters one would miss the link.
    svg.rectangle("hit", left, placed.y - 15, placed.right - left, 33, 8);
  }
  drawStop(index);
  drawLabel(index);
  if (!extra.link.empty())
    svg.close("a");
  svg.close("g");
}

void MapDrawer::draw() {
  drawGroups();
  for (const PlacedStretch &stretch : layout.stretches)
    drawStretch(stretch);
  for (const PlacedTerminus &terminus : layout.termini)
    drawTerminus(terminus);
  for (const auto &[one, other] : map.opposed)
    drawOpposition(one, other);
  for (size_t node = 0; node < map.nodes.size(); ++node)
    drawStation(node);
}

namespace {
struct Frame {
  double left = 0, top = 0, width = 0, height = 0;
};
} // namespace

/// The legend beside a narrow map, above a wide one.
static Frame drawAround(const MapLayout &layout, const SvgOptions &options,
                        SvgWriter &legend) {
  Frame frame{layout.left - 16, layout.top - 16,
              layout.right - layout.left + 32, layout.bottom - layout.top + 32};
  if (!options.standalone)
    return frame;
  std::string discarded;
  llvm::raw_string_ostream nowhere(discarded);
  SvgWriter measure(nowhere);
  if (frame.width <= 700) {
    double x = layout.right + 48;
    double height =
        drawLegend(legend, layout.map, options.title, x, layout.top, 300);
    frame.width += 48 + 310;
    frame.height = std::max(frame.height, height + 32);
    return frame;
  }
  double width = frame.width - 32;
  double height =
      drawLegend(measure, layout.map, options.title, 0, 0, width) + 20;
  drawLegend(legend, layout.map, options.title, layout.left,
             layout.top - height, width);
  frame.top -= height;
  frame.height += height;
  return frame;
}

std::string lh::renderSvg(const MapLayout &layout,
                          const Decorations &decorations,
                          const SvgOptions &options) {
  std::string legend, text;
  llvm::raw_string_ostream legendOut(legend), out(text);
  SvgWriter legendWriter(legendOut);
  Frame frame = drawAround(layout, options, legendWriter);
  auto number = [](double value) { return llvm::format("%.6g", value); };
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"lh-map whole\" "
         "data-view=\""
      << escapeMarkup(options.idPrefix) << "\" role=\""
      << (options.standalone ? "img" : "group") << "\" aria-label=\""
      << escapeMarkup(options.title) << "\" viewBox=\"" << number(frame.left)
      << ' ' << number(frame.top) << ' ' << number(frame.width) << ' '
      << number(frame.height) << "\" width=\"" << number(frame.width)
      << "\" height=\"" << number(frame.height) << "\">\n";
  if (options.standalone) {
    out << "<style>\n" << mapStyles() << "</style>\n";
    SvgWriter(out).rectangle("paper", frame.left, frame.top, frame.width,
                             frame.height, 0);
  }
  out << legend;
  MapDrawer(layout, decorations, options, out).draw();
  out << "</svg>\n";
  return text;
}
