// A run's results for CI systems.
#ifndef LH_REPORT_JUNITREPORT_H
#define LH_REPORT_JUNITREPORT_H

#include "plan/RunRecord.h"

namespace lh {

/// The record as JUnit XML, one test case per result. Skipped, not applicable
/// and unverified results are `skipped` with a message; with `strict`,
/// unverified ones are failures.
std::string junitReport(const RunRecord &record, bool strict);

} // namespace lh

#endif // LH_REPORT_JUNITREPORT_H
