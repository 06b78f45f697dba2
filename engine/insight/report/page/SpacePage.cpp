// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nightly page: changes first, then the map, the space, and history.
#include "insight/report/page/SpacePage.h"

#include "core/plan/FailureSignature.h"
#include "insight/map/Svg.h"
#include "insight/report/page/Assets.h"
#include "insight/report/page/Html.h"
#include "insight/report/page/Sections.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>

using namespace lh;
using llvm::raw_ostream;

/// Of a track or a series; older runs are in the records.
static constexpr size_t shownRuns = 30;
/// Rows of results without a figure that are shown; all that have changed are.
static constexpr size_t shownTracks = 400;

namespace {

/// A pipeline for a target, by its manifest.
using Place = std::tuple<std::string, std::string, std::string>;

/// What its newest results come to.
struct CellFigures {
  size_t right = 0, wrong = 0, expected = 0, notRun = 0;
  bool isSlower = false;
};

class SpaceWriter {
public:
  SpaceWriter(const History &history, std::vector<SavedRun> runs);

  std::string page();

private:
  void countCells();
  void writeTiles(raw_ostream &out) const;
  void writeChanges(raw_ostream &out) const;
  void writeChange(ArrayRef<const Change *> alike, raw_ostream &out) const;
  std::vector<std::vector<const Change *>> changesAlike() const;
  void writeOppositions(raw_ostream &out) const;
  void writeSpace(raw_ostream &out) const;
  void writeCell(const Place &place, raw_ostream &out) const;
  void writeHistory(raw_ostream &out) const;
  void writeTrack(const Track &track, raw_ostream &out) const;
  void writeSeries(const FigureSeries &series, raw_ostream &out) const;
  void writeRuns(raw_ostream &out) const;
  std::string whatElseChanged(const Change &change) const;
  std::string whenText(size_t run) const;
  MapMarks mapMarks() const;

  const History &history;
  PageData newest; ///< for each manifest
  std::map<Place, CellFigures> cells;
};

} // namespace

/// The newest for each manifest, pipeline and target, and what the manifest
/// declares.
static std::vector<SavedRun> newestOf(std::vector<SavedRun> runs) {
  llvm::stable_sort(runs, [](const SavedRun &a, const SavedRun &b) {
    return a.startedAt < b.startedAt;
  });
  std::set<Place> known;
  std::vector<SavedRun> kept;
  for (SavedRun &run : llvm::reverse(runs)) {
    bool isNew = false;
    for (const SavedResult &result : run.results)
      isNew |=
          known.insert({run.manifest, result.key.pipeline, result.key.target})
              .second;
    if (isNew)
      kept.push_back(std::move(run));
  }
  return kept;
}

SpaceWriter::SpaceWriter(const History &history, std::vector<SavedRun> runs)
    : history(history), newest(newestOf(std::move(runs))) {
  countCells();
}

void SpaceWriter::countCells() {
  for (const Track &track : history.tracks) {
    if (track.isGone)
      continue;
    CellFigures &cell =
        cells[{track.manifest, track.key.pipeline, track.key.target}];
    switch (track.points.back().status) {
    case ResultStatus::Passed:
    case ResultStatus::Emitted:
      ++cell.right;
      break;
    case ResultStatus::Failed:
    case ResultStatus::Unverified:
      ++cell.wrong;
      break;
    case ResultStatus::ExpectedFailure:
      ++cell.expected;
      break;
    case ResultStatus::Skipped:
    case ResultStatus::NotApplicable:
      ++cell.notRun;
      break;
    }
  }
  for (const Change &change : history.changes)
    if (change.kind == ChangeKind::Slower) {
      const FigureSeries &of = history.series[*change.series];
      auto cell = cells.find({of.manifest, of.pipeline, of.target});
      if (cell != cells.end())
        cell->second.isSlower = true;
    }
}

std::string SpaceWriter::whenText(size_t run) const {
  StringRef at = history.runs[run].startedAt;
  auto [day, time] = at.split('T');
  return (day + " " + time.take_front(5)).str();
}

static StringRef toneOf(ChangeKind kind) {
  switch (kind) {
  case ChangeKind::Broke:
  case ChangeKind::StillFails:
    return "failed";
  case ChangeKind::Slower:
    return "unverified";
  case ChangeKind::Gone:
  case ChangeKind::NoLongerRun:
    return "skipped";
  case ChangeKind::Mended:
  case ChangeKind::Faster:
    return "passed";
  }
  return "";
}

void SpaceWriter::writeTiles(raw_ostream &out) const {
  std::map<ChangeKind, size_t> counts;
  for (const Change &change : history.changes)
    ++counts[change.kind];
  counts.try_emplace(ChangeKind::Broke);
  counts.try_emplace(ChangeKind::Slower);
  CellFigures all;
  for (const auto &[place, cell] : cells) {
    all.right += cell.right;
    all.wrong += cell.wrong;
  }
  out << "<ul class=\"tiles\">";
  auto tile = [&](StringRef tone, size_t count, StringRef word,
                  StringRef link) {
    out << "<li class=\"" << tone << (count ? "" : " none") << "\"><a href=\"#"
        << link << "\"><b>" << countText(int64_t(count)) << "</b> <span>"
        << word << "</span></a></li>";
  };
  for (const auto &[kind, count] : counts)
    tile(toneOf(kind), count, enumName(kind), "changes");
  tile("passed", all.right, "passed", "space");
  tile("failed", all.wrong, "failed", "space");
  out << "</ul>\n";
}

static const MapBubble *named(const MapSource &source, StringRef name) {
  for (const MapBubble &bubble : source.bubbles)
    if (bubble.name == name)
      return &bubble;
  return nullptr;
}

static bool areAlike(const MapBubble &a, const MapBubble &b) {
  return a.identity == b.identity && a.settings == b.settings &&
         a.details == b.details && a.when == b.when;
}

/// "bubble 'tile': with block = 16", and what it did before.
static std::string bubbleChange(const MapBubble *then, const MapBubble &now) {
  std::string text = "bubble '" + now.name + "'";
  if (!then)
    return text + " is new";
  for (const std::string &detail : now.details)
    if (!llvm::is_contained(then->details, detail))
      text += ": " + detail;
  for (const std::string &detail : then->details)
    if (!llvm::is_contained(now.details, detail))
      text += ", before: " + detail;
  return text;
}

/// What may have caused it: of what else is known of both runs, what differs.
std::string SpaceWriter::whatElseChanged(const Change &change) const {
  const HistoryRun &before = history.runs[change.before];
  const HistoryRun &after = history.runs[change.after];
  std::string text;
  auto differ = [&](StringRef what, StringRef then, StringRef now) {
    if (then != now && !then.empty() && !now.empty())
      text += (text.empty() ? "" : "; ") +
              (what + " " + then + " \xE2\x86\x92 " + now).str();
  };
  for (const auto &[program, version] : after.versions)
    if (auto then = before.versions.find(program);
        then != before.versions.end())
      differ(program, then->second, version);
  differ("machine", before.machine, after.machine);
  differ("CPU", before.cpu, after.cpu);
  if (before.space && after.space)
    for (const MapBubble &bubble : after.space->bubbles)
      if (const MapBubble *then = named(*before.space, bubble.name);
          !then || !areAlike(*then, bubble))
        text += (text.empty() ? "" : "; ") + bubbleChange(then, bubble);
  return text.empty() ? "nothing else that the records tell" : text;
}

/// The changes in their order; those of a pipeline and target that have one
/// kind, one time and one reason, but for numbers in it, stand together.
std::vector<std::vector<const Change *>> SpaceWriter::changesAlike() const {
  std::vector<std::vector<const Change *>> groups;
  std::map<std::string, size_t> known;
  for (const Change &change : history.changes) {
    std::string key = change.name;
    if (change.track) {
      const ResultKey &of = history.tracks[*change.track].key;
      key =
          of.pipeline + "\n" + of.target + "\n" + withoutNumbers(change.reason);
    }
    key += "\n" + change.manifest + "\n" + enumName(change.kind).str() + "\n" +
           std::to_string(change.before) + "-" + std::to_string(change.after);
    auto [group, isNew] = known.try_emplace(key, groups.size());
    if (isNew)
      groups.emplace_back();
    groups[group->second].push_back(&change);
  }
  return groups;
}

/// The first in full, the names of the others.
void SpaceWriter::writeChange(ArrayRef<const Change *> alike,
                              raw_ostream &out) const {
  const Change &change = *alike.front();
  out << "<tr><td><span class=\"verdict " << toneOf(change.kind) << "\">"
      << enumName(change.kind) << "</span></td><td><b>" << Html{change.name}
      << "</b>";
  if (!change.manifest.empty())
    out << "<br><small>" << Html{change.manifest} << "</small>";
  if (alike.size() > 1) {
    out << "<details><summary>and " << alike.size() - 1 << " more</summary>";
    for (const Change *other : alike.drop_front())
      out << "<small>" << Html{other->name} << "</small><br>";
    out << "</details>";
  }
  out << "</td><td>";
  if (change.series) {
    out << llvm::format("%.2f", change.times) << " of the time before ("
        << timeText(history.series[*change.series].points.back().median)
        << ")<br>";
    writeSeries(history.series[*change.series], out);
  } else {
    out << Html{change.reason};
    if (change.track)
      writeTrack(history.tracks[*change.track], out);
  }
  out << "</td><td><time>" << Html{whenText(change.before)}
      << "</time> \xE2\x86\x92 <time>" << Html{whenText(change.after)}
      << "</time><br><small>" << Html{whatElseChanged(change)}
      << "</small></td></tr>\n";
}

void SpaceWriter::writeChanges(raw_ostream &out) const {
  out << "<section id=\"changes\"><h2>What has changed</h2>\n";
  if (history.changes.empty()) {
    out << "<p class=\"note\">Nothing: every result is as in the run before, "
           "and every figure within those before.</p></section>\n";
    return;
  }
  out << "<div class=\"scroll\"><table><thead><tr><th></th><th>result or "
         "figure</th><th>what</th><th>between</th></tr></thead><tbody>\n";
  for (const std::vector<const Change *> &alike : changesAlike())
    writeChange(alike, out);
  out << "</tbody></table></div></section>\n";
}

void SpaceWriter::writeOppositions(raw_ostream &out) const {
  if (history.oppositions.empty())
    return;
  out << "<section id=\"opposed\"><h2>If one passes, the other "
         "breaks</h2>\n<div class=\"scroll\"><table><tbody>\n";
  for (const Opposition &opposition : history.oppositions) {
    out << "<tr>";
    for (size_t i : {opposition.one, opposition.other}) {
      const Track &track = history.tracks[i];
      out << "<td><b>" << Html{resultName(track.key)} << "</b><br><small>"
          << Html{track.manifest} << "</small>";
      writeTrack(track, out);
      out << "</td>";
    }
    out << "<td>in each of " << opposition.runs
        << " runs just one of them passed";
    if (opposition.pairs > 1)
      out << ", and so for " << opposition.pairs - 1
          << " other pairs of their results";
    out << "</td></tr>\n";
  }
  out << "</tbody></table></div></section>\n";
}

void SpaceWriter::writeCell(const Place &place, raw_ostream &out) const {
  auto found = cells.find(place);
  if (found == cells.end()) {
    out << "<td class=\"never\">never tried here</td>";
    return;
  }
  const CellFigures &cell = found->second;
  out << "<td>";
  StringRef gap;
  auto part = [&](size_t count, StringRef tone, StringRef sign) {
    if (count == 0)
      return;
    out << gap << "<span class=\"verdict " << tone << "\">" << sign << ' '
        << count << "</span>";
    gap = " ";
  };
  part(cell.wrong, "failed", "\xE2\x9C\x97");
  part(cell.right, "passed", "\xE2\x9C\x93");
  part(cell.expected, "not-applicable", "\xE2\x86\x93");
  part(cell.notRun, "skipped", "\xE2\x86\xB7");
  if (cell.isSlower)
    out << gap << "<span class=\"verdict unverified\">slower</span>";
  out << "</td>";
}

/// Each manifest's pipelines and targets, those too that no record has.
void SpaceWriter::writeSpace(raw_ostream &out) const {
  std::map<std::string, const MapSource *> sources;
  for (const SavedRun &run : newest.runs)
    if (run.space)
      sources.try_emplace(run.manifest, &*run.space);
  if (sources.empty())
    return;
  out << "<section id=\"space\"><h2>The space</h2>\n";
  for (const auto &[manifest, source] : sources) {
    out << "<h3>" << Html{manifest}
        << "</h3>\n<div class=\"scroll\"><table><thead><tr><th></th>";
    for (const MapTarget &target : source->targets)
      out << "<th>" << Html{target.name} << "</th>";
    out << "</tr></thead><tbody>\n";
    for (const MapPipeline &pipeline : source->pipelines) {
      out << "<tr><th>" << Html{pipeline.name} << "</th>";
      for (const MapTarget &target : source->targets)
        writeCell({manifest, pipeline.name, target.name}, out);
      out << "</tr>\n";
    }
    out << "</tbody></table></div>\n";
  }
  out << "<p class=\"note\">\xE2\x9C\x93 passed, \xE2\x9C\x97 failed, "
         "\xE2\x86\x93 announced to fail, \xE2\x86\xB7 didn't run, in the "
         "newest run that has the result.</p></section>\n";
}

/// A square a run, the newest last.
void SpaceWriter::writeTrack(const Track &track, raw_ostream &out) const {
  ArrayRef<TrackPoint> points = track.points;
  out << "<p class=\"track\">";
  for (const TrackPoint &point : points.take_back(shownRuns))
    out << "<i class=\"" << cssClass(enumName(point.status)) << "\" title=\""
        << Html{whenText(point.run) + ": " + enumName(point.status).str() +
                (point.reason.empty() ? "" : ": ") + point.reason}
        << "\"></i>";
  out << "</p>";
}

/// A dot a run at its median, whiskers round the middle 90 % of its samples;
/// the axis starts at zero, so that heights compare.
void SpaceWriter::writeSeries(const FigureSeries &series,
                              raw_ostream &out) const {
  constexpr double width = 220, height = 44, edge = 5;
  ArrayRef<FigurePoint> points = ArrayRef(series.points).take_back(shownRuns);
  double most = 0;
  for (const FigurePoint &point : points)
    most = std::max({most, point.high, point.median});
  if (!(most > 0))
    return;
  double step =
      (width - 2 * edge) / std::max<double>(1, double(points.size() - 1));
  auto x = [&](size_t i) { return edge + step * static_cast<double>(i); };
  auto y = [&](double seconds) {
    return height - edge - seconds / most * (height - 2 * edge);
  };
  out << "<svg class=\"plot\" viewBox=\"0 0 " << width << ' ' << height
      << "\" role=\"img\" aria-label=\"Times of " << Html{series.name}
      << "\"><path class=\"zero\" d=\"M0 " << y(0) << "H" << width
      << "\"/><path class=\"line\" d=\"";
  for (auto [i, point] : llvm::enumerate(points))
    out << (i ? 'L' : 'M') << llvm::format("%.1f %.1f", x(i), y(point.median));
  out << "\"/>";
  for (auto [i, point] : llvm::enumerate(points))
    out << "<g><title>" << Html{whenText(point.run)} << ": "
        << timeText(point.median) << " (" << timeText(point.low) << " to "
        << timeText(point.high) << ")</title><path class=\"range\" d=\"M"
        << llvm::format("%.1f %.1fV%.1f", x(i), y(point.low), y(point.high))
        << "\"/><circle class=\"" << (i + 1 == points.size() ? "now" : "then")
        << "\" cx=\"" << llvm::format("%.1f", x(i)) << "\" cy=\""
        << llvm::format("%.1f", y(point.median)) << "\" r=\"2.5\"/></g>";
  out << "</svg>";
}

void SpaceWriter::writeHistory(raw_ostream &out) const {
  if (!history.series.empty()) {
    out << "<section id=\"figures\"><h2>Figures over time</h2>\n<div "
           "class=\"scroll\"><table><thead><tr><th>figure</th><th>on</th>"
           "<th>now</th><th>runs</th></tr></thead><tbody>\n";
    for (const FigureSeries &series : history.series) {
      out << "<tr><td><b>" << Html{series.name} << "</b><br><small>"
          << Html{series.manifest} << "</small></td><td>" << Html{series.cpu}
          << (series.threads > 1
                  ? ", " + std::to_string(series.threads) + " threads"
                  : "")
          << "</td><td class=\"num\">" << timeText(series.points.back().median)
          << "</td><td>";
      writeSeries(series, out);
      out << "</td></tr>\n";
    }
    out << "</tbody></table></div></section>\n";
  }
  out << "<section id=\"tracks\"><h2>Results over time</h2>\n<div "
         "class=\"scroll\"><table><tbody>\n";
  for (const Track &track : ArrayRef(history.tracks).take_front(shownTracks)) {
    out << "<tr><td>" << Html{resultName(track.key)} << " <small>"
        << Html{track.manifest} << "</small></td><td>";
    writeTrack(track, out);
    out << "</td></tr>\n";
  }
  out << "</tbody></table></div>\n";
  if (history.tracks.size() > shownTracks)
    out << "<p class=\"note\">" << history.tracks.size() - shownTracks
        << " more are left out; what has changed of them is above.</p>\n";
  out << "</section>\n";
}

void SpaceWriter::writeRuns(raw_ostream &out) const {
  out << "<section id=\"runs\"><h2>Runs</h2>\n<div class=\"scroll\"><table>"
         "<thead><tr><th>began</th><th>manifest</th><th>machine</th><th>CPU"
         "</th><th>versions</th><th>record</th></tr></thead><tbody>\n";
  for (size_t i = history.runs.size(); i-- > 0;) {
    const HistoryRun &run = history.runs[i];
    out << "<tr><td><time>" << Html{whenText(i)} << "</time></td><td>"
        << Html{run.manifest.empty() ? "(LNT)" : run.manifest} << "</td><td>"
        << Html{run.machine} << "</td><td>" << Html{run.cpu} << "</td><td>";
    StringRef gap;
    for (const auto &[program, version] : run.versions) {
      out << gap << Html{program} << ' ' << Html{version};
      gap = ", ";
    }
    out << "</td><td><code>" << Html{run.record} << "</code></td></tr>\n";
  }
  out << "</tbody></table></div></section>\n";
}

MapMarks SpaceWriter::mapMarks() const {
  MapMarks marks;
  marks.links = false;
  for (const auto &[place, cell] : cells)
    if (cell.isSlower)
      marks.slower.insert({std::get<0>(place), std::get<1>(place)});
  for (const Opposition &opposition : history.oppositions) {
    const Track &one = history.tracks[opposition.one];
    const Track &other = history.tracks[opposition.other];
    if (one.manifest != other.manifest ||
        one.key.pipeline != other.key.pipeline)
      marks.opposed.push_back({{one.manifest, one.key.pipeline},
                               {other.manifest, other.key.pipeline}});
  }
  return marks;
}

std::string SpaceWriter::page() {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
         "'none'; style-src 'unsafe-inline'; img-src data:\"><meta "
         "name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
         "<title>State of the space \xC2\xB7 lh-run</title><link rel=\"icon\" "
         "href=\"data:,\"><style>"
      << mapStyles() << assets::pageStyle << assets::spaceStyle
      << "</style></head><body class=\"space\"><header class=\"top\"><h1>State "
         "of the space</h1><nav aria-label=\"Sections\">";
  for (StringRef section : {"changes", "map", "space", "figures", "runs"})
    out << "<a href=\"#" << section << "\">" << section << "</a>";
  out << "</nav><span class=\"keys\">"
      << countText(int64_t(history.runs.size())) << " runs";
  if (!history.runs.empty())
    out << ", the newest of <time>" << Html{whenText(history.runs.size() - 1)}
        << "</time>";
  out << "</span></header>\n<main>\n";
  writeTiles(out);
  writeChanges(out);
  writeOppositions(out);
  writeMap(newest, mapMarks(), out);
  writeSpace(out);
  writeHistory(out);
  writeRuns(out);
  out << "</main><footer>Made by lh-run report --space. This file needs "
         "nothing "
         "else.</footer></body></html>\n";
  return text;
}

std::string lh::spacePage(const History &history, std::vector<SavedRun> runs) {
  return SpaceWriter(history, std::move(runs)).page();
}
