// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was measured, for LLVM's LNT server.
#ifndef LH_INSIGHT_REPORT_LNTREPORT_H
#define LH_INSIGHT_REPORT_LNTREPORT_H

#include "core/bench/BenchRecord.h"

namespace lh {

/// Who measured, and when.
struct LntRun {
  std::string machine;            ///< the name that LNT knows it by
  std::string revision;           ///< what LNT orders its runs by
  std::string startTime, endTime; ///< ISO 8601, UTC
};

/// LNT's name of what was measured: "case/data set/pipeline/target/sweep".
std::string lntName(const ResultKey &key);

/// A report of LNT's `format_version` 2 for its suite `nts`: a test per row
/// that was measured, `execution_time` with every sample.
std::string lntReport(const BenchRecord &record, const LntRun &run);

/// The same for the runs of an LNT v5 server, `format_version` 5.
std::string lntReport5(const BenchRecord &record, const LntRun &run);

} // namespace lh

#endif // LH_INSIGHT_REPORT_LNTREPORT_H
