// A run's results for programs.
#ifndef LH_REPORT_JSONREPORT_H
#define LH_REPORT_JSONREPORT_H

#include "plan/RunRecord.h"

namespace lh {

struct BenchRecord;

/// The record as a JSON document of `schema` 1 (docs/cli.md lists its keys):
/// always valid JSON; numbers that JSON lacks are "nan", "inf" and "-inf".
/// What was measured after the run, if anything, is under "bench".
std::string jsonReport(const RunRecord &record,
                       const BenchRecord *bench = nullptr);

/// A comparison's statistics as `lh-run compare --json` prints them.
std::string jsonComparison(const CompareResult &result);

} // namespace lh

#endif // LH_REPORT_JSONREPORT_H
