// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads back the measurements in a JSON report.
#ifndef LH_INSIGHT_REPORT_BENCHREADER_H
#define LH_INSIGHT_REPORT_BENCHREADER_H

#include "core/bench/BenchRecord.h"

namespace lh {

class JsonCursor;

/// What `benchJson` wrote; errors go to the cursor's document.
BenchRecord benchFrom(const JsonCursor &object);

} // namespace lh

#endif // LH_INSIGHT_REPORT_BENCHREADER_H
