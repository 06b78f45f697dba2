// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A record reads the same to people, programs and CI systems.
#include "insight/report/JUnitReport.h"
#include "insight/report/JsonReport.h"
#include "insight/report/LiveObserver.h"
#include "insight/report/Summary.h"
#include "insight/report/TerminalReport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace lh;

namespace {

/// import -> {fuse -> run, crash -> run}: one result passed, one failed.
RunRecord reportedRecord() {
  RunRecord record;
  record.plan.manifest = "test";
  auto addStep = [&](const char *bubble, std::optional<StepId> parent) {
    Step step;
    step.id = record.plan.steps.size();
    step.bubble = bubble;
    step.declaredAt = {"m.yaml", 7, 3, 1};
    step.parent = parent;
    record.plan.steps.push_back(step);
    if (parent)
      record.plan.steps[*parent].children.push_back(step.id);
    StepOutcome outcome;
    outcome.step = step.id;
    outcome.status = StepStatus::Passed;
    outcome.seconds = 0.5;
    record.outcomes.push_back(outcome);
    return step.id;
  };
  addStep("import", std::nullopt);
  addStep("fuse", 0);
  addStep("run", 1); // compile
  addStep("run", 2);
  addStep("crash", 0);
  addStep("run", 4);
  RunAction counting;
  counting.countsArithmetic = true;
  record.plan.steps[3].action = counting;
  record.outcomes[3].arithmetic = ArithmeticCount{4, 3, 8, 4};
  record.outcomes[3].runSeconds = {0.003, 0.001, 0.002};
  record.outcomes[4].status = StepStatus::Crashed;
  record.outcomes[4].reason = "crashed with SIGSEGV";
  record.outcomes[4].diagnostics = {{DiagKind::ManifestUnknownKey,
                                     Severity::Error,
                                     {"m.yaml", 1, 2, 3},
                                     "a <bad> thing",
                                     {}}};
  record.outcomes[5].status = StepStatus::NotRun;
  record.plan.results.resize(2);
  record.plan.results[0].leaf = 3;
  record.plan.results[1].leaf = 5;
  record.results.resize(2);
  record.results[0].key = {"digits", "", "host", "", "fast"};
  record.results[0].status = ResultStatus::Passed;
  record.results[0].classifiedRightly = {64, 64};
  OutputComparison comparison{"y", "golden", {}};
  comparison.result.passed = true;
  comparison.result.maxAbs = 3e-7;
  comparison.result.meanRel = std::numeric_limits<double>::quiet_NaN();
  comparison.result.p99Rel = std::numeric_limits<double>::infinity();
  record.results[0].comparisons = {comparison};
  record.results[1].key = {"digits", "", "host", "", "plain"};
  record.results[1].status = ResultStatus::Failed;
  record.results[1].reason = "bubble 'crash': crashed with SIGSEGV";
  return record;
}

std::string terminalText(const RunRecord &record,
                         TerminalReportOptions options = {}) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  CollectingSink sink;
  printReport(record, stream, sink, options);
  return text;
}

} // namespace

TEST_CASE("the terminal shows failures first, then figures", "[report]") {
  std::string text = terminalText(reportedRecord());
  CHECK_THAT(text, Catch::StartsWith("failed: digits plain host"));
  CHECK_THAT(text, Catch::Contains("bubble 'crash' is declared at m.yaml:7"));
  CHECK_THAT(text, Catch::Contains("digits fast host   passed  2.00 ms  "
                                   "worst error 3e-07 (relative 0), "
                                   "judged by tolerance  64/64 "
                                   "classified rightly  75 % of "
                                   "arithmetic vectorised, 50 % of "
                                   "instructions"));
  CHECK_THAT(text,
             Catch::Contains("1 passed, 1 failed, 0 skipped, 0 unverified"));
  CHECK_THAT(text, !Catch::Contains("\x1b["));
}

TEST_CASE("diagnostics of a shared step are shown once", "[report]") {
  RunRecord record = reportedRecord();
  record.plan.results.push_back(record.plan.results[1]);
  record.results.push_back(record.results[1]);
  CollectingSink sink;
  printReport(record, llvm::nulls(), sink);
  CHECK(sink.diagnostics().size() == 1);
}

TEST_CASE("many results are a line per failure and counts", "[report]") {
  RunRecord record = reportedRecord();
  for (int i = 0; i < 5; ++i) {
    record.plan.results.push_back(record.plan.results[1]);
    record.results.push_back(record.results[1]);
  }
  TerminalReportOptions options;
  options.compactAbove = 3;
  std::string text = terminalText(record, options);
  CHECK(StringRef(text).count('\n') == 8);
  CHECK_THAT(text, Catch::Contains("     6 failed: bubble 'crash': crashed"));
}

TEST_CASE("reasons that differ in numbers alone are one group", "[report]") {
  RunRecord record = reportedRecord();
  record.results[0] = record.results[1];
  record.results[0].reason = "conv2d: 3 of 24 differ by 1.5e-07";
  record.results[1].reason = "conv2d: 12 of 24 differ by 0.5";
  TerminalReportOptions options;
  options.compactAbove = 1;
  CHECK_THAT(terminalText(record, options),
             Catch::Contains("     2 failed: conv2d: # of # differ by #\n"));
}

TEST_CASE("further draws are shown when they tell more", "[report]") {
  RunRecord record = reportedRecord();
  record.results[0].key.dataSet = "drawn-2";
  record.results[1].key.dataSet = "drawn-3";
  for (PlannedResult &planned : record.plan.results)
    planned.isFurtherDraw = true;
  std::string text = terminalText(record);
  CHECK_THAT(
      text, !Catch::Contains("digits/drawn-2 ") &&
                Catch::Contains("failed: digits/drawn-3 plain host") &&
                Catch::Contains("that passed: 1 (-v shows them)\n1 passed, 1"));
  TerminalReportOptions verbose;
  verbose.showRemarks = true;
  CHECK_THAT(terminalText(record, verbose),
             Catch::Contains("digits/drawn-2 fast host") &&
                 !Catch::Contains("further draws"));
  record.results[0].comparisons[0].warnings = {"constant"};
  CHECK_THAT(terminalText(record), Catch::Contains("digits/drawn-2 fast host"));
}

TEST_CASE("an interrupted run says that it is partial", "[report]") {
  RunRecord record = reportedRecord();
  record.interrupted = true;
  CHECK_THAT(terminalText(record), Catch::Contains("partial"));
}

TEST_CASE("calls of unknown code are named beside the share", "[report]") {
  RunRecord record = reportedRecord();
  ArithmeticCount &count = *record.outcomes[3].arithmetic;
  count.unknownCalls = {{"gemm", 12}};
  CHECK_THAT(terminalText(record),
             Catch::Contains("instructions, unknown in gemm"));
  count.operations = count.vectorised = 0;
  CHECK_THAT(terminalText(record),
             Catch::Contains("  arithmetic unknown in gemm"));
}

TEST_CASE("on a GPU what counts is what has a matrix kernel", "[report]") {
  RunRecord record = reportedRecord();
  CompileAction compiled;
  compiled.target.emplace().backend = "cuda";
  record.plan.steps[2].action = compiled;
  record.outcomes[3].arithmetic.reset();
  KernelShare &flops = record.outcomes[1].kernels.emplace();
  flops.withoutKernel = 4;
  CHECK_THAT(terminalText(record),
             Catch::Contains("0 % of multiply-adds in matrix kernels"));
  flops.kernels = {{"simt", 2}, {"wgmma-f16", 10}};
  CHECK_THAT(terminalText(record),
             Catch::Contains("75 % of multiply-adds by wgmma-f16, simt"));
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse(jsonReport(record));
  REQUIRE(bool(json));
  const llvm::json::Object &result =
      *(*json->getAsObject()->getArray("results"))[0].getAsObject();
  CHECK(result.getObject("flops")->getNumber("kernel_share") == 0.75);
  CHECK(result.getObject("flops")->getArray("kernels")->size() == 2);
  CHECK_FALSE(result.getObject("arithmetic"));
}

TEST_CASE("the JSON report is valid and complete", "[report]") {
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse(jsonReport(reportedRecord()));
  REQUIRE(bool(json));
  const llvm::json::Object &object = *json->getAsObject();
  CHECK(object.getInteger("schema") == 1);
  CHECK(object.getObject("summary")->getInteger("passed") == 1);
  CHECK(object.getObject("summary")->getInteger("failed") == 1);
  CHECK(object.getArray("steps")->size() == 6);
  const llvm::json::Object &result =
      *(*object.getArray("results"))[0].getAsObject();
  CHECK(result.getObject("key")->getString("pipeline") == StringRef("fast"));
  CHECK(result.getObject("seconds")->getNumber("run") == 1.0);
  CHECK(result.getNumber("run_seconds") == 0.002);
  CHECK(result.getObject("arithmetic")->getNumber("vectorised_share") == 0.75);
  CHECK(result.getObject("arithmetic")->getNumber("instruction_share") == 0.5);
  CHECK(result.getObject("classified")->getInteger("rightly") == 64);
  const llvm::json::Object &output =
      *(*result.getArray("outputs"))[0].getAsObject();
  CHECK(output.getString("mean_rel") == StringRef("nan"));
  CHECK(output.getString("p99_rel") == StringRef("inf"));
}

TEST_CASE("text that is not UTF-8 keeps the JSON valid", "[report]") {
  RunRecord record = reportedRecord();
  record.results[1].reason = "bad \xff byte";
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse(jsonReport(record));
  CHECK(bool(json));
  if (!json)
    llvm::consumeError(json.takeError());
}

TEST_CASE("JUnit escapes what XML can't hold", "[report]") {
  RunRecord record = reportedRecord();
  record.results[1].reason = "a \"quoted\" \x01 <tag>";
  record.results[0].status = ResultStatus::Unverified;
  std::string text = junitReport(record);
  CHECK_THAT(text,
             Catch::Contains("failures=\"1\" errors=\"0\" skipped=\"1\""));
  CHECK_THAT(text,
             Catch::Contains("a &quot;quoted&quot; \xEF\xBF\xBD &lt;tag&gt;"));
  CHECK_THAT(text,
             Catch::Contains(
                 "m.yaml:1:2: a &lt;bad&gt; thing [manifest-unknown-key]"));
  record.results[0].diagnostics = {
      {DiagKind::PlanUnverified, Severity::Error, {}, "unverified", {}}};
  CHECK_THAT(junitReport(record),
             Catch::Contains("failures=\"2\" errors=\"0\" skipped=\"0\""));
  record.results[0].status = ResultStatus::Emitted;
  CHECK_THAT(junitReport(record), Catch::Contains("skipped=\"1\"") &&
                                      Catch::Contains("message=\"emitted: "));
}

TEST_CASE("the exit code follows the worst result", "[report]") {
  RunRecord record = reportedRecord();
  CHECK(exitCode(record, false) == 1);
  record.results[1].status = ResultStatus::Unverified;
  CHECK(exitCode(record, true) == 0);
  record.results[1].diagnostics = {
      {DiagKind::PlanUnverified, Severity::Error, {}, "unverified", {}}};
  CHECK(exitCode(record, false) == 1);
  record.results[1].status = ResultStatus::Skipped;
  CHECK(exitCode(record, true) == 0);
  record.outcomes[0].diagnostics = {
      {DiagKind::ManifestUnknownKey, Severity::Warning, {}, "hm", {}}};
  CHECK(exitCode(record, true) == 1);
  CHECK(exitCode(record, false) == 0);
  record.results[0].status = ResultStatus::Skipped;
  CHECK(exitCode(record, false) == 77);
  record.interrupted = true;
  CHECK(exitCode(record, false) == 1);
  CHECK(exitCode(RunRecord(), false) == 77);
}

TEST_CASE("a terminal has one line, a log a line per result", "[report]") {
  RunRecord record = reportedRecord();
  record.outcomes[1].log = "printed";
  bool isTerminal = GENERATE(false, true);
  std::string text;
  llvm::raw_string_ostream below(text);
  VisibleStream stream(below);
  LiveObserver live(stream, isTerminal, /*width=*/12);
  live.runStarted(record.plan);
  live.stepStarted(record.plan.steps[1]);
  live.stepFinished(record.plan.steps[1], record.outcomes[1]);
  live.resultFinished(record.results[1]);
  live.runFinished(record);
  if (isTerminal)
    CHECK(text == "[0/6] fuse\r\x1b[Kprinted\n[1/6] fuse\r\x1b[K");
  else
    CHECK(text == "printed\nfailed: digits plain host\n");
}
