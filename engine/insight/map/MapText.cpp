// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map in a terminal: a row per bubble, a column per lane.
#include "core/support/VisibleText.h"
#include "insight/map/Formats.h"
#include "insight/map/Svg.h"
#include "insight/map/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace lh;

namespace {

/// From which row to which a lane has a line.
struct Span {
  size_t first = std::numeric_limits<size_t>::max(), last = 0;
};

class TextMap {
public:
  TextMap(const SpaceMap &map, const MapTextOptions &options,
          llvm::raw_ostream &out)
      : map(map), options(options), out(out) {}
  void print();

private:
  void paint(size_t lane, StringRef text);
  void printTrack(size_t node, size_t lane);
  void printNode(size_t node);
  void printLane(size_t lane);
  void printRest(size_t indent, StringRef text);

  const SpaceMap &map;
  const MapTextOptions &options;
  llvm::raw_ostream &out;
  std::vector<Span> spans;
};

} // namespace

void TextMap::paint(size_t lane, StringRef text) {
  // Of the 16 colours that terminals let their users choose, six are apart.
  static constexpr llvm::raw_ostream::Colors colors[] = {
      llvm::raw_ostream::BLUE,   llvm::raw_ostream::RED,
      llvm::raw_ostream::GREEN,  llvm::raw_ostream::MAGENTA,
      llvm::raw_ostream::YELLOW, llvm::raw_ostream::CYAN};
  if (options.color)
    out.changeColor(colors[lane % 6]);
  out << text;
  if (options.color)
    out.resetColor();
}

void TextMap::printTrack(size_t node, size_t lane) {
  ArrayRef<size_t> lanes = map.nodes[node].lanes;
  bool joins = !lanes.empty() && lane >= lanes.front() && lane < lanes.back();
  if (llvm::is_contained(lanes, lane))
    paint(lane, map.nodes[node].isSink ? "\u25c9" : "\u25cf");
  else if (node > spans[lane].first && node < spans[lane].last)
    paint(lane, joins ? "\u253c" : "\u2502");
  else
    out << (joins ? "\u2500" : " ");
  out << (joins ? "\u2500" : " ");
}

/// What stands in a line behind its first `indent` places.
void TextMap::printRest(size_t indent, StringRef text) {
  size_t room = options.width > indent + 12 ? options.width - indent : 12;
  out << shortened(visibleLine(text), room) << '\n';
}

void TextMap::printNode(size_t index) {
  const MapNode &node = map.nodes[index];
  out << "  ";
  for (size_t lane = 0; lane < map.lanes.size(); ++lane)
    printTrack(index, lane);
  out << ' ';
  std::string text = node.name + "  " + node.summary;
  if (node.group)
    text = map.groups[*node.group].name + "/" +
           node.name.substr(node.name.find('/') + 1) + "  " + node.summary;
  for (const std::string &badge : node.badges)
    text += "  (" + badge + ")";
  for (const std::string &when : node.whens)
    text += "  when " + when;
  printRest(2 * map.lanes.size() + 3, text);
}

void TextMap::printLane(size_t index) {
  const MapLane &lane = map.lanes[index];
  std::vector<std::string> manifests;
  for (const MapMember &member : lane.members)
    if (!llvm::is_contained(manifests, map.sources[member.source].manifest))
      manifests.push_back(map.sources[member.source].manifest);
  std::string text = lane.name;
  if (lane.members.size() > 1)
    text += " \u00d7" + std::to_string(lane.members.size());
  text += "  " + llvm::join(manifests, ", ");
  out << "  ";
  paint(index, laneLetter(index));
  out << ' ';
  printRest(4, text);
}

void TextMap::print() {
  spans.resize(map.lanes.size());
  for (size_t node = 0; node < map.nodes.size(); ++node)
    for (size_t lane : map.nodes[node].lanes) {
      spans[lane].first = std::min(spans[lane].first, node);
      spans[lane].last = std::max(spans[lane].last, node);
    }
  out << "  ";
  for (size_t lane = 0; lane < map.lanes.size(); ++lane) {
    paint(lane, laneLetter(lane));
    out << ' ';
  }
  out << '\n';
  for (size_t node = 0; node < map.nodes.size(); ++node)
    printNode(node);
  out << "pipelines\n";
  for (size_t lane = 0; lane < map.lanes.size(); ++lane)
    printLane(lane);
  out << "targets\n  " << visibleLine(llvm::join(map.targetNames(), ", "))
      << '\n';
}

void lh::printMapText(const SpaceMap &map, const MapTextOptions &options,
                      llvm::raw_ostream &out) {
  TextMap(map, options, out).print();
}
