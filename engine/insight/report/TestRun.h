// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What became of a bubble's test.
#ifndef LH_INSIGHT_REPORT_TESTRUN_H
#define LH_INSIGHT_REPORT_TESTRUN_H

#include "core/plan/RunRecord.h"

namespace lh {

struct TestRun {
  std::string bubble;              ///< "lib:cpu/vectorize", or a path
  std::string manifest;            ///< empty: there is no test
  std::optional<int> code;         ///< exit code, if there is a test
  std::optional<RunRecord> record; ///< none: it could not be read
};

} // namespace lh

#endif // LH_INSIGHT_REPORT_TESTRUN_H
