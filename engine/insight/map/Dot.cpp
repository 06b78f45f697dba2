// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map for Graphviz's tools.
#include "insight/map/Formats.h"
#include "insight/map/Lanes.h"
#include "insight/map/Svg.h"
#include "insight/map/Text.h"

#include "llvm/Support/raw_ostream.h"

using namespace lh;

static std::string quoted(StringRef text) {
  return "\"" + escapeDot(text) + "\"";
}

static void printDotNode(const SpaceMap &map, size_t index,
                         llvm::raw_ostream &out) {
  const MapNode &node = map.nodes[index];
  std::string label = node.name + "\n" + node.summary;
  for (const std::string &badge : node.badges)
    label += "\n" + badge;
  for (const std::string &when : node.whens)
    label += "\nwhen " + when;
  out << "  n" << index << " [label=" << quoted(label);
  if (node.kind == "composite")
    out << ", peripheries=2";
  if (!node.whens.empty())
    out << ", style=\"rounded,dashed\"";
  out << "];\n";
}

std::string lh::renderDot(const SpaceMap &map, StringRef title) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "digraph " << quoted(title) << " {\n"
      << "  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
      << "  edge [penwidth=3, arrowsize=0.6];\n";
  for (size_t i = 0; i < map.groups.size(); ++i) {
    out << "  subgraph cluster" << i
        << " {\n  label=" << quoted(map.groups[i].name) << ";\n";
    for (size_t node : map.groups[i].nodes)
      out << "  n" << node << ";\n";
    out << "  }\n";
  }
  for (size_t i = 0; i < map.nodes.size(); ++i)
    printDotNode(map, i, out);
  for (const MapEdge &edge : map.edges)
    for (size_t lane : edge.lanes)
      out << "  n" << edge.from << " -> n" << edge.to
          << " [color=" << quoted(paletteColor(map.lanes[lane], lane))
          << ", tooltip="
          << quoted(laneLetter(lane) + " " + map.lanes[lane].name) << "];\n";
  out << "}\n";
  return text;
}
