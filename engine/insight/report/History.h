// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the records of several runs say together: results and figures over time,
// and what has changed.
#ifndef LH_INSIGHT_REPORT_HISTORY_H
#define LH_INSIGHT_REPORT_HISTORY_H

#include "insight/report/LntReader.h"
#include "insight/report/SavedRun.h"

namespace lh {

/// Where, when and with what a record came to be.
struct HistoryRun {
  std::string record, manifest, startedAt;
  std::string machine, cpu; ///< empty in older records
  std::map<std::string, std::string> versions;
  std::optional<MapSource> space = {}; ///< what the manifest declared
};

/// What became of a result in one run.
struct TrackPoint {
  size_t run = 0; ///< index into History::runs
  ResultStatus status = ResultStatus::Passed;
  std::string reason;
};

/// A result over time, the oldest first.
struct Track {
  std::string manifest;
  ResultKey key;
  std::vector<TrackPoint> points;
  bool isGone = false; ///< the newest run of its pipeline and target lacks it
};

/// What was measured in one run: seconds a call.
struct FigurePoint {
  size_t run = 0;
  double median = 0, low = 0, high = 0; ///< and the range of 90 % of samples
  /// The median's share of the machine's peak in the same turns.
  std::optional<double> shareOfPeak = {};
};

/// A figure over time on one CPU with so many threads; others' say nothing.
struct FigureSeries {
  /// Whose it is; all empty: an LNT file's.
  std::string manifest, pipeline, target;
  std::string name; ///< as LNT has it: "digits/optimized/host"
  std::string cpu;
  unsigned threads = 1;
  std::vector<FigurePoint> points;
};

/// What is worth a look, the worst first.
enum class ChangeKind {
  Broke,       ///< it passed in the run before
  Slower,      ///< than in every run before
  Gone,        ///< the same pipeline ran for the same target, without it
  NoLongerRun, ///< skipped, or not applicable, and passed before
  StillFails,  ///< since an earlier run
  Mended,      ///< it failed in the run before
  Faster       ///< than in every run before
};

inline ArrayRef<StringRef> enumNames(ChangeKind) {
  static constexpr StringRef names[] = {
      "broke",       "slower", "gone",  "no longer run",
      "still fails", "mended", "faster"};
  return names;
}

struct Change {
  ChangeKind kind = ChangeKind::Broke;
  std::string manifest, name;
  size_t before = 0, after = 0; ///< runs: the last good one, and the newest
  std::string reason;
  double times = 1; ///< of a figure: the time now by the median before
  std::optional<size_t> track, series;
};

/// Two results of which, in each run that has both, just one passed, and not
/// always the same: if the one passes, the other breaks.
struct Opposition {
  size_t one = 0, other = 0; ///< tracks
  size_t runs = 0;           ///< in which both were
  size_t pairs = 1; ///< of results of the same two pipelines and targets
};

struct History {
  std::vector<HistoryRun> runs; ///< the oldest first
  std::vector<Track> tracks;
  std::vector<FigureSeries> series;
  std::vector<Change> changes; ///< the worst first
  std::vector<Opposition> oppositions;
};

/// Records in any order. A figure has changed if it is beyond all earlier ones
/// by more than `percent`, and its middle 90 % beyond their median; where the
/// machine's peak was measured, its share of that too: a machine that is slower
/// as a whole is no regression.
History historyOf(ArrayRef<SavedRun> runs, ArrayRef<LntSaved> figures,
                  double percent);

/// Whether it counts as right, or announced to be wrong.
bool isFine(ResultStatus status);

} // namespace lh

#endif // LH_INSIGHT_REPORT_HISTORY_H
