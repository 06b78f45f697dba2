// A map in a terminal: a row per bubble, a column per lane.
#include "map/Formats.h"
#include "map/Svg.h"
#include "map/Text.h"

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
  std::string painted(size_t lane, StringRef text) const;
  std::string track(size_t node, size_t lane) const;
  void printNode(size_t node);
  void printLane(size_t lane);
  void printLine(const std::string &prefix, size_t indent, StringRef text);

  const SpaceMap &map;
  const MapTextOptions &options;
  llvm::raw_ostream &out;
  std::vector<Span> spans;
};

} // namespace

std::string TextMap::painted(size_t lane, StringRef text) const {
  // Of the 16 colours that terminals let their users choose, six are apart.
  static constexpr unsigned colors[] = {34, 31, 32, 35, 33, 36};
  if (!options.color)
    return text.str();
  return "\x1b[" + std::to_string(colors[lane % 6]) + "m" + text.str() +
         "\x1b[0m";
}

std::string TextMap::track(size_t node, size_t lane) const {
  ArrayRef<size_t> lanes = map.nodes[node].lanes;
  bool joins = !lanes.empty() && lane >= lanes.front() && lane < lanes.back();
  std::string mark = " ";
  if (llvm::is_contained(lanes, lane))
    mark = painted(lane, map.nodes[node].isSink ? "\u25c9" : "\u25cf");
  else if (node > spans[lane].first && node < spans[lane].last)
    mark = painted(lane, joins ? "\u253c" : "\u2502");
  else if (joins)
    mark = "\u2500";
  return mark + (joins ? "\u2500" : " ");
}

void TextMap::printLine(const std::string &prefix, size_t indent,
                        StringRef text) {
  size_t room = options.width > indent + 12 ? options.width - indent : 12;
  out << prefix << shortened(escapeTerminal(text), room) << '\n';
}

void TextMap::printNode(size_t index) {
  const MapNode &node = map.nodes[index];
  std::string prefix;
  for (size_t lane = 0; lane < map.lanes.size(); ++lane)
    prefix += track(index, lane);
  std::string text = node.name + "  " + node.summary;
  if (node.group)
    text = map.groups[*node.group].name + "/" +
           node.name.substr(node.name.find('/') + 1) + "  " + node.summary;
  for (const std::string &badge : node.badges)
    text += "  (" + badge + ")";
  for (const std::string &when : node.whens)
    text += "  when " + when;
  printLine("  " + prefix + " ", 2 * map.lanes.size() + 3, text);
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
  printLine("  " + painted(index, laneLetter(index)) + " ", 4, text);
}

void TextMap::print() {
  spans.resize(map.lanes.size());
  for (size_t node = 0; node < map.nodes.size(); ++node)
    for (size_t lane : map.nodes[node].lanes) {
      spans[lane].first = std::min(spans[lane].first, node);
      spans[lane].last = std::max(spans[lane].last, node);
    }
  std::string letters;
  for (size_t lane = 0; lane < map.lanes.size(); ++lane)
    letters += painted(lane, laneLetter(lane)) + " ";
  out << "  " << letters << '\n';
  for (size_t node = 0; node < map.nodes.size(); ++node)
    printNode(node);
  out << "pipelines\n";
  for (size_t lane = 0; lane < map.lanes.size(); ++lane)
    printLane(lane);
  std::vector<std::string> targets;
  for (const MapSource &source : map.sources)
    for (const MapTarget &target : source.targets)
      if (!llvm::is_contained(targets, target.name))
        targets.push_back(target.name);
  out << "targets\n  " << escapeTerminal(llvm::join(targets, ", ")) << '\n';
}

std::string lh::renderMapText(const SpaceMap &map,
                              const MapTextOptions &options) {
  std::string text;
  llvm::raw_string_ostream out(text);
  TextMap(map, options, out).print();
  out.flush();
  return text;
}
