// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was measured, as a part of the run's JSON report.
#ifndef LH_INSIGHT_REPORT_BENCHJSON_H
#define LH_INSIGHT_REPORT_BENCHJSON_H

#include "core/bench/BenchRecord.h"

#include <nlohmann/json_fwd.hpp>

namespace lh {

/// The value of the report's key "bench" (docs/benchmarks.md lists its keys).
nlohmann::ordered_json benchJson(const BenchRecord &record);

} // namespace lh

#endif // LH_INSIGHT_REPORT_BENCHJSON_H
