// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The map of what ran, with what came of it at each station.
#include "insight/report/page/Html.h"
#include "insight/report/page/Sections.h"

#include "insight/map/Html.h"
#include "insight/map/Layout.h"
#include "insight/map/Svg.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace lh;
using llvm::raw_ostream;

/// Each manifest once, whatever number of runs there are of it.
static std::vector<MapSource> sourcesOf(const PageData &data) {
  std::vector<MapSource> sources;
  for (const SavedRun &run : data.runs) {
    bool isKnown = llvm::any_of(sources, [&](const MapSource &source) {
      return source.manifest == run.manifest;
    });
    if (!run.space || isKnown)
      continue;
    sources.push_back(*run.space);
    sources.back().manifest = run.manifest;
  }
  return sources;
}

static bool isWithin(StringRef inner, StringRef outer) {
  return inner == outer ||
         (inner.consume_front(outer) && inner.starts_with("/"));
}

/// The bubbles of the records that a station stands for, as they come.
static std::vector<size_t> bubblesAt(const PageData &data, const SpaceMap &map,
                                     const MapNode &node) {
  std::vector<size_t> found;
  for (size_t i = 0; i < data.bubbles.size(); ++i) {
    const BubbleFigures &bubble = data.bubbles[i];
    bool isUsed = llvm::any_of(node.uses, [&](const MapUse &use) {
      return map.sources[use.source].manifest == bubble.manifest &&
             isWithin(bubble.name, use.bubble);
    });
    if (isUsed)
      found.push_back(i);
  }
  return found;
}

namespace {
/// What several bubbles come to.
struct StationFigures {
  /// Whether a result whose path passes it is off by more than is allowed.
  bool isWrong() const { return worst.wasCompared && worst.share > 1; }

  double seconds = 0;
  WorstErrors worst;
  bool hasFailed = false, hasRun = false, isUnverified = false;
};
} // namespace

static StationFigures figuresOf(const PageData &data,
                                ArrayRef<size_t> bubbles) {
  StationFigures figures;
  for (size_t number : bubbles) {
    const BubbleFigures &bubble = data.bubbles[number];
    figures.seconds += bubble.totalSeconds;
    figures.worst.add(bubble.worst);
    figures.hasFailed |= bubble.hasFailed();
    figures.hasRun |= bubble.statuses.count(StepStatus::Passed) > 0;
    bool isVerified = bubble.results.count(ResultStatus::Passed) > 0 ||
                      bubble.results.count(ResultStatus::Failed) > 0;
    figures.isUnverified |= !isVerified;
  }
  return figures;
}

static std::string classOf(const StationFigures &figures) {
  if (figures.hasFailed)
    return "failed";
  if (!figures.hasRun)
    return "skipped";
  return figures.isUnverified ? "unverified" : "passed";
}

static std::string linkOf(ArrayRef<size_t> bubbles, size_t node,
                          StringRef prefix) {
  if (bubbles.size() == 1)
    return "#bubble-" + std::to_string(bubbles.front());
  return ("#" + prefix + "-" + Twine(node)).str();
}

/// Whether a pipeline that is slower than before ends here, or none but such
/// pass.
static bool isSlow(const SpaceMap &map, size_t node, const MapMarks &marks) {
  bool any = false, all = true;
  for (size_t lane : map.nodes[node].lanes)
    for (const MapMember &member : map.lanes[lane].members) {
      if (!llvm::is_contained(member.route, node))
        continue;
      bool isSlower = marks.slower.count(
          {map.sources[member.source].manifest, member.pipeline});
      any |= isSlower;
      all &= isSlower;
    }
  return any && (all || map.nodes[node].isSink);
}

static NodeDecoration decorationOf(const PageData &data, const SpaceMap &map,
                                   size_t node, StringRef prefix,
                                   const MapMarks &marks) {
  std::vector<size_t> bubbles = bubblesAt(data, map, map.nodes[node]);
  NodeDecoration decoration;
  if (bubbles.empty()) {
    decoration.classes = "skipped";
    decoration.text = marks.links ? "did not run" : "never tried here";
    return decoration;
  }
  StationFigures figures = figuresOf(data, bubbles);
  decoration.classes = classOf(figures);
  decoration.text = timeText(figures.seconds);
  if (figures.hasFailed) {
    decoration.text += ", failed";
  } else if (figures.isWrong() && map.nodes[node].isSink) {
    // Where results are judged; which bubble is to blame isn't known.
    decoration.classes = "failed";
    decoration.text += ", wrong results";
  } else if (figures.worst.wasCompared && !figures.isWrong()) {
    decoration.text += ", " + allowedText(figures.worst.share);
  }
  if (decoration.classes == "passed" && isSlow(map, node, marks)) {
    decoration.classes = "slower";
    decoration.text += ", slower than before";
  }
  decoration.title = map.nodes[node].name + ": " + decoration.classes + ", " +
                     timeText(figures.seconds);
  if (figures.worst.wasCompared)
    decoration.title += "; worst error of results through it, of what is "
                        "allowed: " +
                        allowedText(figures.worst.share) + ", relative " +
                        numberText(figures.worst.relative);
  if (marks.links)
    decoration.link = linkOf(bubbles, node, prefix);
  return decoration;
}

/// The drawer of a station that stands for several bubbles.
static void writeStation(const PageData &data, const SpaceMap &map, size_t node,
                         StringRef prefix, raw_ostream &out) {
  std::vector<size_t> bubbles = bubblesAt(data, map, map.nodes[node]);
  if (bubbles.size() < 2)
    return;
  StationFigures figures = figuresOf(data, bubbles);
  out << "<article class=\"drawer\" id=\"" << prefix << "-" << node
      << "\"><header><h3>" << Html{map.nodes[node].name}
      << "</h3> <span class=\"dot " << classOf(figures) << "\">"
      << classOf(figures) << "</span></header>\n<p class=\"line\"><span><b>"
      << timeText(figures.seconds) << "</b> in " << bubbles.size()
      << " bubbles</span></p><ul class=\"said\">";
  for (const std::string &detail : map.nodes[node].details)
    out << "<li>" << Html{detail} << "</li>";
  out << "</ul><div class=\"path\">";
  for (size_t number : bubbles) {
    const BubbleFigures &bubble = data.bubbles[number];
    double share =
        figures.seconds > 0 ? bubble.totalSeconds / figures.seconds * 100 : 0;
    out << "<a href=\"#bubble-" << number << "\" class=\""
        << (bubble.hasFailed() ? "failed" : "passed")
        << "\" style=\"--w:" << llvm::format("%.1f", share) << "%\"><b>"
        << Html{bubble.name} << "</b> <span>" << timeText(bubble.totalSeconds)
        << "</span></a>";
  }
  out << "</div></article>\n";
}

/// One picture of the map, with composite bubbles closed or open.
static void writeView(const PageData &data, const MapLayout &layout,
                      StringRef prefix, const MapMarks &marks,
                      raw_ostream &out) {
  Decorations decorations;
  for (size_t i = 0; i < layout.map.nodes.size(); ++i)
    decorations.nodes[i] = decorationOf(data, layout.map, i, prefix, marks);
  out << "<div class=\"canvas view-" << prefix << "\" tabindex=\"0\">"
      << renderSvg(
             layout, decorations,
             {"Pipeline map with results", /*standalone=*/false, prefix.str()})
      << "</div>\n";
}

static void writeStations(const PageData &data, const SpaceMap &map,
                          StringRef prefix, raw_ostream &out) {
  for (size_t i = 0; i < map.nodes.size(); ++i)
    writeStation(data, map, i, prefix, out);
}

void lh::writeMap(const PageData &data, const MapMarks &marks,
                  raw_ostream &out) {
  std::vector<MapSource> sources = sourcesOf(data);
  if (sources.empty())
    return;
  FailureOr<MapLayout> closed =
      layOut(makeSpaceMap(sources, {.opposed = marks.opposed}));
  FailureOr<MapLayout> open =
      layOut(makeSpaceMap(sources, {.expand = true, .opposed = marks.opposed}));
  if (failed(closed) || failed(open))
    return; // the tables say all of it too
  bool hasInside = llvm::any_of(closed->map.nodes, [](const MapNode &node) {
    return !node.inner.empty();
  });
  out << "<section id=\"map\"><h2>Map</h2>\n<style>"
      << pickerStyles(closed->map) << "</style><div class=\"lanes\">"
      << lanePicker(*closed, hasInside ? &*open : nullptr);
  if (hasInside)
    out << "<label><input type=\"checkbox\" id=\"open-all\"> open composite "
           "bubbles</label>";
  out << "</div>\n";
  writeView(data, *closed, "station", marks, out);
  if (hasInside)
    writeView(data, *open, "stop", marks, out);
  out << "<p class=\"note\">At each bubble: the time of all its steps, and the "
         "worst error of the results that pass it, as a share of what was "
         "allowed.";
  if (!marks.opposed.empty())
    out << " A dashed line joins pipelines of which one breaks if the other "
           "passes.";
  out << "</p></section>\n";
}

void lh::writeStationDetails(const PageData &data, raw_ostream &out) {
  std::vector<MapSource> sources = sourcesOf(data);
  out << "<section id=\"station-details\">";
  writeStations(data, makeSpaceMap(sources), "station", out);
  writeStations(data, makeSpaceMap(sources, {.expand = true}), "stop", out);
  out << "</section>\n";
}
