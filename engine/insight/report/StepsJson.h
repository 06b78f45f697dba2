// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run's steps as a part of its JSON report.
#ifndef LH_INSIGHT_REPORT_STEPSJSON_H
#define LH_INSIGHT_REPORT_STEPSJSON_H

#include "insight/report/JsonReport.h"

#include <nlohmann/json_fwd.hpp>

namespace lh {

/// Adds "steps", and what they refer to by index: "actions", what a step does,
/// and "places", where the matches of schedules stand.
void addStepsJson(const RunRecord &record, const ReportContext &context,
                  nlohmann::ordered_json &json);

nlohmann::ordered_json diagnosticJson(const Diagnostic &diagnostic);

/// A number, or "nan", "inf", "-inf".
nlohmann::ordered_json jsonNumber(double value);

} // namespace lh

#endif // LH_INSIGHT_REPORT_STEPSJSON_H
