// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run's results for CI systems.
#ifndef LH_INSIGHT_REPORT_JUNITREPORT_H
#define LH_INSIGHT_REPORT_JUNITREPORT_H

#include "insight/report/TestRun.h"

namespace lh {

/// The record as JUnit XML, one test case per result. Skipped, not applicable
/// and unverified results are `skipped` with a message; with `strict`,
/// unverified ones are failures.
std::string junitReport(const RunRecord &record);

/// The same for the tests of bubbles, a suite for each. A bubble without a test
/// is skipped, with `strict` an error.
std::string junitReports(ArrayRef<TestRun> runs, bool strict);

} // namespace lh

#endif // LH_INSIGHT_REPORT_JUNITREPORT_H
