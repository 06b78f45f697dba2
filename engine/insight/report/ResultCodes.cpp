// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results in the words of LLVM's lit.
#include "insight/report/ResultCodes.h"

#include "core/json/Json.h"
#include "insight/report/Summary.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

static StringRef failureCode(const RunRecord &record, size_t result) {
  if (record.results[result].passedUnexpectedly)
    return "XPASS";
  bool timedOut = llvm::any_of(pathOf(record, result), [&](StepId step) {
    return record.outcomes[step].status == StepStatus::TimedOut;
  });
  return timedOut ? "TIMEOUT" : "FAIL";
}

StringRef lh::resultCode(const RunRecord &record, size_t result) {
  switch (record.results[result].status) {
  case ResultStatus::Passed:
  case ResultStatus::Emitted:
    return "PASS";
  case ResultStatus::Failed:
    return failureCode(record, result);
  case ResultStatus::Skipped:
    return record.plan.results[result].skipped.empty() ? "SKIPPED"
                                                       : "UNSUPPORTED";
  case ResultStatus::Unverified:
    return record.results[result].failsRun() ? "FAIL" : "UNRESOLVED";
  case ResultStatus::NotApplicable:
    return "UNSUPPORTED";
  case ResultStatus::ExpectedFailure:
    return "XFAIL";
  }
  return "";
}

bool lh::isFailure(StringRef code) {
  return code == "FAIL" || code == "XPASS" || code == "TIMEOUT";
}

std::string lh::litReport(const RunRecord &record) {
  Json json = {{"__version__", {22, 1, 0}}, {"elapsed", record.seconds}};
  json["tests"] = Json::array();
  for (size_t i = 0; i < record.results.size(); ++i) {
    double seconds = 0;
    for (StepId step : pathOf(record, i))
      seconds += record.outcomes[step].seconds;
    const ResultRecord &result = record.results[i];
    json["tests"].push_back(
        {{"name", record.plan.manifest + " :: " + resultName(result.key)},
         {"code", resultCode(record, i).str()},
         {"output", result.reason},
         {"elapsed", seconds}});
  }
  return printJson(json);
}
