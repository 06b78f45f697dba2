// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was measured, for LLVM's LNT server.
#include "insight/report/LntReport.h"

#include "core/json/Json.h"

#include <algorithm>

using namespace lh;

/// LNT's names are paths; nothing else may look like a separator.
std::string lh::lntName(const ResultKey &key) {
  std::string name;
  for (const std::string *part :
       {&key.caseName, &key.dataSet, &key.pipeline, &key.target, &key.sweep}) {
    if (part->empty())
      continue;
    name += name.empty() ? "" : "/";
    name += *part;
  }
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

/// A test per row that was measured, with all its samples.
static Json testsJson(const BenchRecord &record) {
  Json tests = Json::array();
  for (const BenchGroup &group : record.groups)
    for (const BenchRow &row : group.rows)
      if (row.whyNot.empty())
        tests.push_back(
            {{"name", lntName(row.key)}, {"execution_time", row.perLap}});
  return tests;
}

std::string lh::lntReport5(const BenchRecord &record, const LntRun &run) {
  Json json = {{"format_version", "5"},
               {"machine", {{"name", run.machine}}},
               {"commit", {{"value", run.revision}}},
               {"run_parameters",
                {{"hardware", record.cpu},
                 {"threads", record.threads},
                 {"start_time", run.startTime},
                 {"end_time", run.endTime}}},
               {"tests", testsJson(record)}};
  return printJson(json);
}

std::string lh::lntReport(const BenchRecord &record, const LntRun &run) {
  Json json = {{"format_version", "2"},
               {"machine", {{"name", run.machine}, {"hardware", record.cpu}}},
               {"run",
                {{"start_time", run.startTime},
                 {"end_time", run.endTime},
                 {"llvm_project_revision", run.revision}}}};
  json["tests"] = testsJson(record);
  return printJson(json);
}
