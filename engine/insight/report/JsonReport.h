// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run's results for programs.
#ifndef LH_INSIGHT_REPORT_JSONREPORT_H
#define LH_INSIGHT_REPORT_JSONREPORT_H

#include "insight/map/SpaceMap.h"
#include "insight/report/TestRun.h"

#include <functional>

namespace lh {

struct BenchRecord;
struct ProfiledResult;

/// What is said of a run beyond what happened in it. All may be absent.
struct ReportContext {
  std::map<std::string, std::string> versions; ///< by program
  std::string startedAt;                       ///< UTC, as ISO 8601 has it
  std::string machine, cpu;                    ///< its name; LLVM's of its CPU
  /// By step: the mlir-opt command that does the same.
  std::vector<std::string> repeatLines;
  /// The text of a line in a user's file.
  std::function<std::string(const SourceSpan &)> lineAt;
  std::optional<MapSource> space; ///< what the manifest declares
  /// The report's own: paths of snapshots in it are relative.
  std::string folder;
  /// What the program says by its exit code.
  std::optional<int> exitCode;
};

/// The record as a JSON document of `schema` 1 (docs/cli.md lists its keys):
/// always valid JSON; numbers that JSON lacks are "nan", "inf" and "-inf".
/// What was measured after the run, if anything, is under "bench", and where
/// the time went under "profiles".
std::string jsonReport(const RunRecord &record,
                       const ReportContext &context = {},
                       const BenchRecord *bench = nullptr,
                       ArrayRef<ProfiledResult> profiles = {});

/// The tests of bubbles: under "tests" each with its exit code (null: there is
/// no test) and the document of its run (null: it could not be read).
std::string jsonReports(ArrayRef<TestRun> runs);

/// A comparison's statistics as `lh-run compare --json` prints them.
std::string jsonComparison(const CompareResult &result);

} // namespace lh

#endif // LH_INSIGHT_REPORT_JSONREPORT_H
