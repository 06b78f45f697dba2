// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results in the words of lit, and on the pages of CI systems.
#include "insight/report/ResultCodes.h"
#include "insight/report/Annotations.h"
#include "insight/report/JUnitReport.h"
#include "insight/report/MarkdownReport.h"

#include "llvm/Support/JSON.h"

#include <catch2/catch.hpp>

using namespace lh;

/// Results of one step each, at line 5 and on.
static RunRecord recordOf(ArrayRef<ResultStatus> statuses) {
  RunRecord record;
  record.plan.manifest = "m";
  record.plan.file = "/w/m.yaml";
  for (size_t i = 0; i < statuses.size(); ++i) {
    Step step;
    step.id = i;
    step.bubble = "b" + std::to_string(i);
    step.declaredAt = {"/w/m.yaml", unsigned(i) + 5, 3, 1};
    record.plan.steps.push_back(step);
    StepOutcome outcome;
    outcome.step = i;
    outcome.status = StepStatus::Passed;
    record.outcomes.push_back(outcome);
    PlannedResult planned;
    planned.leaf = i;
    record.plan.results.push_back(planned);
    ResultRecord result;
    result.status = statuses[i];
    result.key = {"c", "", "host", "", "p" + std::to_string(i)};
    result.reason = "why " + std::to_string(i);
    record.results.push_back(result);
  }
  return record;
}

TEST_CASE("every status has its code", "[ci]") {
  RunRecord record = recordOf(
      {ResultStatus::Passed, ResultStatus::Failed, ResultStatus::Skipped,
       ResultStatus::Skipped, ResultStatus::Unverified,
       ResultStatus::NotApplicable, ResultStatus::ExpectedFailure,
       ResultStatus::Failed, ResultStatus::Failed});
  record.plan.results[3].skipped = "no GPU";
  record.results[7].passedUnexpectedly = true;
  record.outcomes[8].status = StepStatus::TimedOut;
  const char *codes[] = {"PASS",        "FAIL",       "SKIPPED",
                         "UNSUPPORTED", "UNRESOLVED", "UNSUPPORTED",
                         "XFAIL",       "XPASS",      "TIMEOUT"};
  for (size_t i = 0; i < 9; ++i)
    CHECK(resultCode(record, i) == codes[i]);
  record.results[4].diagnostics = {
      {DiagKind::PlanUnverified, Severity::Error, {}, "unverified", {}}};
  CHECK(resultCode(record, 4) == "FAIL");
  for (const char *code : {"FAIL", "XPASS", "TIMEOUT"})
    CHECK(isFailure(code));
  for (const char *code :
       {"PASS", "XFAIL", "SKIPPED", "UNSUPPORTED", "UNRESOLVED"})
    CHECK_FALSE(isFailure(code));
}

TEST_CASE("lit's report has a test per result", "[ci]") {
  RunRecord record =
      recordOf({ResultStatus::Passed, ResultStatus::ExpectedFailure});
  record.results[1].reason = "a \"quote\"\n\xff";
  auto json = llvm::json::parse(litReport(record));
  REQUIRE(bool(json));
  const auto *tests = json->getAsObject()->getArray("tests");
  REQUIRE(tests->size() == 2);
  const auto *test = (*tests)[1].getAsObject();
  CHECK(test->getString("code") == "XFAIL");
  CHECK(test->getString("name") == "m :: c p1 host");
  CHECK(test->getNumber("elapsed"));
}

TEST_CASE("a page shows what failed first, and keeps to its limit", "[ci]") {
  std::vector<ResultStatus> statuses(1000, ResultStatus::Passed);
  statuses[900] = ResultStatus::Failed;
  RunRecord record = recordOf(statuses);
  std::string page = markdownReport(record, 4000);
  CHECK(page.size() <= 4000);
  CHECK(page.find("| FAIL | c p900 host |") < page.find("| PASS |"));
  CHECK(page.find("999 passed, 1 failed") != std::string::npos);
  CHECK(page.find("further results are left out") != std::string::npos);
  CHECK(markdownReport(record).find("left out") == std::string::npos);
}

TEST_CASE("names can't leave their cell, or become HTML", "[ci]") {
  RunRecord record = recordOf({ResultStatus::Failed});
  record.results[0].reason = "a|b <script>x</script>\n\n# [l](http://x) `c`";
  std::string page = markdownReport(record);
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("a&#124;b &lt;script&gt;") != std::string::npos);
  CHECK(page.find("\\# \\[l\\]\\(http://x\\) \\`c\\`") != std::string::npos);
}

TEST_CASE("annotations stand at the bubble's line, in one line each", "[ci]") {
  RunRecord record = recordOf(
      {ResultStatus::Passed, ResultStatus::Failed, ResultStatus::Skipped});
  record.results[1].reason = "50 %\n::error::injected";
  record.results[1].key.pipeline = "a,b:c";
  CHECK(githubAnnotations(record, "/w") ==
        "::error file=m.yaml,line=6,title=FAIL c a%2Cb%3Ac host::50 "
        "%25%0A::error::injected\n"
        "::warning file=m.yaml,line=7,title=SKIPPED c p2 host::why 2\n");
}

TEST_CASE("at most ten annotations of a kind, with the number of all", "[ci]") {
  RunRecord record =
      recordOf(std::vector<ResultStatus>(30, ResultStatus::Failed));
  std::string text = githubAnnotations(record, "/w");
  CHECK(StringRef(text).count("::error") == 10);
  CHECK(text.find("30 such results in all") != std::string::npos);
}

TEST_CASE("JUnit's suites include bubbles without a test", "[ci]") {
  std::vector<TestRun> runs(3);
  runs[0] = {"a<b>", "a.test.yaml", 0, recordOf({ResultStatus::Passed})};
  runs[1] = {"untested", "", std::nullopt, std::nullopt};
  runs[2] = {"broken", "x.test.yaml", 2, std::nullopt};
  std::string text = junitReports(runs, false);
  CHECK(StringRef(text).count("<testsuite ") == 3);
  CHECK(StringRef(text).count("<skipped message=\"there is no test\">") == 1);
  CHECK(StringRef(text).count("<error message=\"the test is not usable\">") ==
        1);
  CHECK(StringRef(junitReports(runs, true)).count("<error ") == 2);
}
