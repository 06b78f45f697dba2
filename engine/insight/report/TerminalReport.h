// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run's results for people.
#ifndef LH_INSIGHT_REPORT_TERMINALREPORT_H
#define LH_INSIGHT_REPORT_TERMINALREPORT_H

#include "core/plan/RunRecord.h"

#include "llvm/Support/raw_ostream.h"

namespace lh {

struct TerminalReportOptions {
  bool color = false;
  /// Remarks (a match that found nothing, a pass that changed nothing) in
  /// full; else only their number.
  bool showRemarks = false;
  /// Of these, isIdleness() shows as errors.
  bool strict = false;
  /// How each output was judged, and who said so.
  bool explainTolerance = false;
  /// With more results than this there is one line per failure and a count by
  /// reason, in place of a block per failure and a line per result.
  size_t compactAbove = 40;
  /// What paths are shown relative to; empty: they are shown in full.
  std::string workingDirectory = {};
};

/// Prints failures (with reason, step and diagnostics), then a line per result,
/// then the summary. Diagnostics of steps go to `diagnostics`, in place.
void printReport(const RunRecord &record, llvm::raw_ostream &stream,
                 DiagnosticSink &diagnostics,
                 const TerminalReportOptions &options = {});

/// "12.3 ns", "12.3 us", "4.56 ms", "7.89 s".
std::string durationText(double seconds);

} // namespace lh

#endif // LH_INSIGHT_REPORT_TERMINALREPORT_H
