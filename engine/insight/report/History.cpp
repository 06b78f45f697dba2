// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts records in order and compares the newest with those before.
#include "insight/report/History.h"

#include "insight/report/LntReport.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>

using namespace lh;

bool lh::isFine(ResultStatus status) {
  return status != ResultStatus::Failed && status != ResultStatus::Unverified;
}

static bool hasRun(ResultStatus status) {
  return status != ResultStatus::Skipped &&
         status != ResultStatus::NotApplicable;
}

namespace {

/// Grows a history run by run, in the order of time.
class Historian {
public:
  explicit Historian(double percent) : factor(1 + percent / 100) {}

  void add(const SavedRun &run);
  void add(const LntSaved &run);
  History finish();

private:
  void addPoint(const std::string &manifest, const ResultKey &key,
                TrackPoint point);
  void addFigure(FigureSeries of, FigurePoint point);
  void compare(size_t track);
  void compareFigures(size_t series);
  void addOppositions();
  void change(ChangeKind kind, const Track &track, size_t before);

  double factor;
  History history;
  std::map<std::string, size_t> tracks, series;
  std::map<std::string, std::vector<size_t>> runsOf; ///< by placeOf()
};

} // namespace

static FigurePoint pointOf(size_t run, const SampleStatistics &seconds,
                           const std::optional<SampleStatistics> &share) {
  FigurePoint point{run, seconds.median, seconds.p05, seconds.p95};
  if (share && share->count > 0)
    point.shareOfPeak = share->median;
  return point;
}

/// A pipeline for a target, of a manifest.
static std::string placeOf(const std::string &manifest, const ResultKey &key) {
  return manifest + "\n" + key.pipeline + "\n" + key.target;
}

void Historian::addPoint(const std::string &manifest, const ResultKey &key,
                         TrackPoint point) {
  std::vector<size_t> &runs = runsOf[placeOf(manifest, key)];
  if (runs.empty() || runs.back() != point.run)
    runs.push_back(point.run);
  auto [known, isNew] = tracks.try_emplace(manifest + "\n" + resultName(key),
                                           history.tracks.size());
  if (isNew)
    history.tracks.push_back({manifest, key, {}, false});
  history.tracks[known->second].points.push_back(std::move(point));
}

void Historian::addFigure(FigureSeries of, FigurePoint point) {
  auto [known, isNew] =
      series.try_emplace(of.manifest + "\n" + of.name + "\n" + of.cpu + "\n" +
                             std::to_string(of.threads),
                         history.series.size());
  if (isNew)
    history.series.push_back(std::move(of));
  history.series[known->second].points.push_back(point);
}

void Historian::add(const SavedRun &run) {
  size_t number = history.runs.size();
  std::string cpu = run.bench ? run.bench->cpu : run.cpu;
  history.runs.push_back({run.record, run.manifest, run.startedAt, run.machine,
                          cpu, run.versions, run.space});
  for (const SavedResult &result : run.results)
    addPoint(run.manifest, result.key, {number, result.status, result.reason});
  if (!run.bench)
    return;
  for (const BenchGroup &group : run.bench->groups)
    for (const BenchRow &row : group.rows)
      if (row.whyNot.empty())
        addFigure({run.manifest,
                   row.key.pipeline,
                   row.key.target,
                   lntName(row.key),
                   cpu,
                   run.bench->threads,
                   {}},
                  pointOf(number, row.seconds, row.shareOfPeak));
}

void Historian::add(const LntSaved &run) {
  size_t number = history.runs.size();
  history.runs.push_back({run.record,
                          "",
                          run.startedAt,
                          run.machine,
                          run.hardware,
                          {{"revision", run.revision}}});
  for (const LntFigure &figure : run.figures)
    addFigure({"",
               "",
               "",
               figure.name,
               run.hardware.empty() ? run.machine : run.hardware,
               run.threads,
               {}},
              pointOf(number, figure.seconds, {}));
}

void Historian::change(ChangeKind kind, const Track &track, size_t before) {
  Change change;
  change.kind = kind;
  change.manifest = track.manifest;
  change.name = resultName(track.key);
  change.before = before;
  change.after = track.points.back().run;
  change.reason = track.points.back().reason;
  change.track = &track - history.tracks.data();
  history.changes.push_back(std::move(change));
}

/// What was gone before the newest run is no news.
void Historian::compare(size_t number) {
  Track &track = history.tracks[number];
  const TrackPoint &now = track.points.back();
  ArrayRef<size_t> runs = runsOf.at(placeOf(track.manifest, track.key));
  track.isGone = now.run != runs.back();
  if (track.isGone) {
    if (now.run != runs[runs.size() - 2])
      return;
    change(ChangeKind::Gone, track, now.run);
    history.changes.back().after = runs.back();
    return;
  }
  if (track.points.size() < 2)
    return;
  const TrackPoint &before = track.points[track.points.size() - 2];
  if (!isFine(now.status)) {
    auto lastFine =
        llvm::find_if(llvm::reverse(track.points), [](const TrackPoint &point) {
          return isFine(point.status);
        });
    bool breaks = isFine(before.status);
    size_t good = lastFine == track.points.rend() ? track.points.front().run
                                                  : lastFine->run;
    change(breaks ? ChangeKind::Broke : ChangeKind::StillFails, track, good);
  } else if (!isFine(before.status)) {
    change(ChangeKind::Mended, track, before.run);
  } else if (hasRun(before.status) && !hasRun(now.status) &&
             history.runs[before.run].cpu == history.runs[now.run].cpu) {
    change(ChangeKind::NoLongerRun, track, before.run);
  }
}

void Historian::compareFigures(size_t number) {
  const FigureSeries &series = history.series[number];
  if (series.points.size() < 2)
    return;
  const FigurePoint &now = series.points.back();
  ArrayRef<FigurePoint> before = ArrayRef(series.points).drop_back();
  std::vector<double> medians;
  for (const FigurePoint &point : before)
    medians.push_back(point.median);
  double usual = statisticsOf(medians).median;
  // Of a time, or of the inverse of a share of the peak.
  auto isBeyond = [&](auto isOut) {
    return llvm::all_of(before, [&](const FigurePoint &point) {
      return isOut(now.median, point.median) &&
             (!now.shareOfPeak || !point.shareOfPeak ||
              isOut(1 / *now.shareOfPeak, 1 / *point.shareOfPeak));
    });
  };
  bool isSlower = now.low > usual && isBeyond([&](double mine, double earlier) {
                    return mine > factor * earlier;
                  });
  bool isFaster =
      now.high < usual && isBeyond([&](double mine, double earlier) {
        return factor * mine < earlier;
      });
  if (!isSlower && !isFaster)
    return;
  Change change;
  change.kind = isSlower ? ChangeKind::Slower : ChangeKind::Faster;
  change.manifest = series.manifest;
  change.name = series.name;
  change.before = series.points[series.points.size() - 2].run;
  change.after = now.run;
  change.times = now.median / usual;
  change.series = number;
  history.changes.push_back(std::move(change));
}

namespace {
/// Results of a pipeline and target that fared alike.
struct Alike {
  size_t track = 0; ///< the first of them
  size_t count = 0;
  std::map<size_t, bool> fine; ///< by run that it ran in
};
} // namespace

/// Whether of each run that has both just one was fine, and not always the same
/// one; how many runs.
static std::optional<size_t> opposedRuns(const Alike &one, const Alike &other) {
  std::set<bool> seen;
  size_t together = 0;
  for (const auto &[run, isFine] : one.fine) {
    auto its = other.fine.find(run);
    if (its == other.fine.end())
      continue;
    if (isFine == its->second)
      return std::nullopt;
    seen.insert(isFine);
    ++together;
  }
  return seen.size() == 2 ? std::optional(together) : std::nullopt;
}

/// Of results that were fine in one run and not in another, those that fared
/// alike once: a bad night has thousands of them.
static std::map<std::string, Alike> restlessOf(ArrayRef<Track> tracks) {
  std::map<std::string, Alike> groups;
  for (size_t i = 0; i < tracks.size(); ++i) {
    Alike own{i, 0, {}};
    std::set<bool> seen;
    std::string key = placeOf(tracks[i].manifest, tracks[i].key);
    for (const TrackPoint &point : tracks[i].points)
      if (hasRun(point.status)) {
        own.fine[point.run] = isFine(point.status);
        seen.insert(isFine(point.status));
        key += "\n" + std::to_string(point.run) +
               (isFine(point.status) ? "+" : "-");
      }
    if (seen.size() == 2)
      ++groups.try_emplace(key, std::move(own)).first->second.count;
  }
  return groups;
}

void Historian::addOppositions() {
  std::map<std::string, Alike> restless = restlessOf(history.tracks);
  std::map<std::pair<std::string, std::string>, size_t> known;
  for (auto one = restless.begin(); one != restless.end(); ++one)
    for (auto other = std::next(one); other != restless.end(); ++other) {
      const Alike &a = one->second, &b = other->second;
      std::optional<size_t> runs = opposedRuns(a, b);
      if (!runs)
        continue;
      const Track &first = history.tracks[a.track];
      const Track &second = history.tracks[b.track];
      auto [place, isNew] =
          known.try_emplace(std::minmax(placeOf(first.manifest, first.key),
                                        placeOf(second.manifest, second.key)),
                            history.oppositions.size());
      if (isNew)
        history.oppositions.push_back({std::min(a.track, b.track),
                                       std::max(a.track, b.track), *runs,
                                       a.count * b.count});
      else
        history.oppositions[place->second].pairs += a.count * b.count;
    }
}

/// Of a kind, the largest difference first.
static bool isWorse(const Change &a, const Change &b) {
  return std::tuple(a.kind, -std::abs(a.times - 1)) <
         std::tuple(b.kind, -std::abs(b.times - 1));
}

History Historian::finish() {
  for (size_t i = 0; i < history.tracks.size(); ++i)
    compare(i);
  for (size_t i = 0; i < history.series.size(); ++i)
    compareFigures(i);
  llvm::stable_sort(history.changes, isWorse);
  addOppositions();
  return std::move(history);
}

History lh::historyOf(ArrayRef<SavedRun> runs, ArrayRef<LntSaved> figures,
                      double percent) {
  // Times of day sort as text does (ISO 8601, UTC).
  std::vector<std::pair<std::string, std::pair<bool, size_t>>> order;
  for (size_t i = 0; i < runs.size(); ++i)
    order.push_back(
        {StringRef(runs[i].startedAt).rtrim('Z').str(), {false, i}});
  for (size_t i = 0; i < figures.size(); ++i)
    order.push_back(
        {StringRef(figures[i].startedAt).rtrim('Z').str(), {true, i}});
  llvm::stable_sort(order);
  Historian historian(percent);
  for (const auto &[time, place] : order)
    place.first ? historian.add(figures[place.second])
                : historian.add(runs[place.second]);
  return historian.finish();
}
