// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads LNT's forms of measurements, ours and others'.
#ifndef LH_INSIGHT_REPORT_LNTREADER_H
#define LH_INSIGHT_REPORT_LNTREADER_H

#include "core/bench/Statistics.h"
#include "core/support/SourceStore.h"

namespace lh {

/// One figure: seconds a call.
struct LntFigure {
  std::string name;
  SampleStatistics seconds;
};

/// A report for LNT, of `format_version` 2 or 5.
struct LntSaved {
  std::string record, startedAt, machine, hardware, revision;
  unsigned threads = 1;
  std::vector<LntFigure> figures;
};

/// Whether the text is a report for LNT: it has a `format_version`.
bool isLntReport(StringRef text);

/// The report in the file `path`; tests without an `execution_time` are left
/// out. Fails with `report-bad-record` at what isn't as it should be.
FailureOr<LntSaved> readLntReport(StringRef path, SourceStore &sources,
                                  DiagnosticSink &sink);

} // namespace lh

#endif // LH_INSIGHT_REPORT_LNTREADER_H
