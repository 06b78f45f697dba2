// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run as its JSON record tells it: what reports are made of.
#ifndef LH_INSIGHT_REPORT_SAVEDRUN_H
#define LH_INSIGHT_REPORT_SAVEDRUN_H

#include "core/bench/BenchRecord.h"
#include "insight/map/SpaceMap.h"

namespace lh {

struct SavedDiagnostic {
  std::string kind, severity, message;
  SourceSpan where;
  std::vector<DiagnosticNote> notes;
};

/// What steps do; steps of many cases share one.
struct SavedAction {
  std::string kind, what;
  std::string mlirOpt; ///< the command that does the same; may be empty
  SourceSpan where;
};

/// Where a match of a schedule stands, and the line's text.
struct SavedPlace {
  SourceSpan where;
  std::string text;
};

struct SavedMatch {
  size_t place = 0; ///< index into SavedRun::places
  int64_t operations = 0;
};

struct SavedStep {
  std::string bubble;
  std::optional<size_t> parent; ///< stands before this one
  std::optional<size_t> action; ///< index into SavedRun::actions
  StepStatus status = StepStatus::NotRun;
  std::string reason, log;
  double begin = 0, seconds = 0;
  size_t worker = 0;
  int64_t peakBytes = 0;
  bool changedModule = true;
  std::vector<SavedMatch> matches;
  std::vector<OpChoice> choices;
  std::optional<ModuleCount> before, after;
  std::vector<PassTime> passes;
  std::vector<double> runSeconds;
  std::string snapshot; ///< path, not relative to the record any more
  std::vector<SavedDiagnostic> diagnostics;
};

struct SavedResult {
  ResultKey key;
  ResultStatus status = ResultStatus::Unverified;
  std::string reason;
  std::string again; ///< the command that repeats it; may be empty
  std::vector<StepId> steps;
  std::optional<double> runSeconds;
  std::optional<double> vectorisedShare;
  std::optional<double> instructionShare; ///< of those on vectors
  std::string unknownCallees;        ///< whose arithmetic isn't in the share
  std::optional<double> kernelShare; ///< instead, on a GPU
  std::string kernels;               ///< "wgmma-f16, simt"
  std::optional<std::pair<int64_t, int64_t>> classified;
  std::vector<OutputComparison> outputs;
};

struct SavedRun {
  std::string record; ///< the file it was read from
  std::string manifest, file;
  std::string startedAt;
  std::map<std::string, std::string> versions;
  bool interrupted = false;
  double seconds = 0;
  std::vector<SavedAction> actions;
  std::vector<SavedPlace> places;
  std::vector<SavedStep> steps; ///< by StepId
  std::vector<SavedResult> results;
  std::optional<BenchRecord> bench;
  std::optional<MapSource> space; ///< what the manifest declares
};

} // namespace lh

#endif // LH_INSIGHT_REPORT_SAVEDRUN_H
