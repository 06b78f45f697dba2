// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map as a Mermaid flowchart.
#include "insight/map/Formats.h"
#include "insight/map/Lanes.h"
#include "insight/map/Svg.h"
#include "insight/map/Text.h"

#include "llvm/Support/raw_ostream.h"

using namespace lh;

static void printMermaidNode(const SpaceMap &map, size_t index,
                             llvm::raw_ostream &out) {
  const MapNode &node = map.nodes[index];
  std::string label = escapeMermaid(node.name) + "<br/><small>" +
                      escapeMermaid(node.summary) + "</small>";
  for (const std::string &badge : node.badges)
    label += "<br/>" + escapeMermaid(badge);
  for (const std::string &when : node.whens)
    label += "<br/>when " + escapeMermaid(when);
  bool isComposite = node.kind == "composite";
  out << "  n" << index << (isComposite ? "[[\"" : "(\"") << label
      << (isComposite ? "\"]]\n" : "\")\n");
}

std::string lh::renderMermaid(const SpaceMap &map) {
  std::string text, styles;
  llvm::raw_string_ostream out(text);
  out << "flowchart TD\n";
  for (size_t i = 0; i < map.nodes.size(); ++i)
    if (!map.nodes[i].group)
      printMermaidNode(map, i, out);
  for (size_t i = 0; i < map.groups.size(); ++i) {
    out << "  subgraph g" << i << "[\"" << escapeMermaid(map.groups[i].name)
        << "\"]\n";
    for (size_t node : map.groups[i].nodes)
      printMermaidNode(map, node, out);
    out << "  end\n";
  }
  size_t number = 0;
  for (const MapEdge &edge : map.edges)
    for (size_t lane : edge.lanes) {
      out << "  n" << edge.from << " -->|" << laneLetter(lane) << "| n"
          << edge.to << '\n';
      styles += "  linkStyle " + std::to_string(number++) +
                " stroke:" + paletteColor(map.lanes[lane], lane) +
                ",stroke-width:3px\n";
    }
  out << styles;
  return text;
}
