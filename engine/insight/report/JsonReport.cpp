// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run's results for programs.
#include "insight/report/JsonReport.h"

#include "insight/report/SavedRunFields.h"

using namespace lh;

static Json recordJson(const RunRecord &record, const ReportContext &context,
                       const BenchRecord *bench,
                       ArrayRef<ProfiledResult> profiles) {
  SavedRun run = savedRun(record, context, bench);
  run.profiles = profiles;
  return writeFields(run, FieldUse::Report);
}

std::string lh::jsonComparison(const CompareResult &result) {
  return printJson(writeFields(result, FieldUse::Report));
}

std::string lh::jsonReport(const RunRecord &record,
                           const ReportContext &context,
                           const BenchRecord *bench,
                           ArrayRef<ProfiledResult> profiles) {
  return printJson(recordJson(record, context, bench, profiles));
}

std::string lh::jsonReports(ArrayRef<TestRun> runs) {
  Json json = {{"schema", 1}, {"tests", Json::array()}};
  for (const TestRun &run : runs)
    json["tests"].push_back(
        {{"bubble", run.bubble},
         {"manifest", run.manifest},
         {"code", run.code ? Json(*run.code) : Json()},
         {"report",
          run.record ? recordJson(*run.record, {}, nullptr, {}) : Json()}});
  return printJson(json);
}
