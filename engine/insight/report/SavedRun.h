// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run as its JSON report tells it: what is written, and read back.
#ifndef LH_INSIGHT_REPORT_SAVEDRUN_H
#define LH_INSIGHT_REPORT_SAVEDRUN_H

#include "core/bench/BenchRecord.h"
#include "insight/map/SpaceMap.h"
#include "insight/report/JsonReport.h"
#include "insight/report/Profile.h"
#include "insight/report/Summary.h"

namespace lh {

/// What steps do; steps of many cases share one.
struct SavedAction {
  std::string kind, what;
  SourceSpan where;
  std::string mlirOpt; ///< the command that does the same; may be empty
};

/// Where a match of a schedule stands, and the line's text.
struct SavedPlace {
  SourceSpan where;
  std::string text;
};

/// Its `matches` are empty: `matchedAt` has them.
struct SavedStep : StepOutcome {
  std::string bubble;
  std::optional<size_t> parent; ///< stands before this one
  std::optional<size_t> action; ///< index into SavedRun::actions
  /// Operations by index into SavedRun::places.
  std::vector<std::pair<size_t, int64_t>> matchedAt;
};

struct SavedResult : ResultRecord {
  std::string code; ///< resultCode(); empty in older records
  std::optional<uint64_t> seed;
  std::string again;  ///< the command that repeats it; may be empty
  std::string bisect; ///< the one that finds the step to blame; may be empty
  /// By bubble, in the path's order; only written.
  std::vector<std::pair<std::string, double>> seconds;
  std::vector<StepId> steps;
  std::optional<double> runSeconds;
  std::optional<ArithmeticCount> arithmetic;
  std::optional<KernelShare> kernels; ///< on a GPU
};

struct SavedRun {
  std::string record; ///< the file it was read from
  std::string manifest, file;
  std::map<std::string, std::string> versions;
  std::string startedAt;
  std::string machine, cpu; ///< where it ran; empty in older records
  bool interrupted = false;
  std::optional<int> exitCode; ///< of `lh-run run`
  double seconds = 0;
  Summary summary; ///< only written
  std::vector<SavedResult> results;
  std::vector<SavedAction> actions;
  std::vector<SavedPlace> places;
  std::vector<SavedStep> steps;   ///< by StepId
  std::optional<MapSource> space; ///< what the manifest declares
  std::optional<BenchRecord> bench;
  std::vector<ProfiledResult> profiles;
};

/// What the report of a run says. Paths in its folder are relative to it.
SavedRun savedRun(const RunRecord &record, const ReportContext &context,
                  const BenchRecord *bench);

} // namespace lh

#endif // LH_INSIGHT_REPORT_SAVEDRUN_H
