// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records come back as they were written, or are refused at the right place.
#include "insight/report/RecordReader.h"
#include "core/json/JsonPlace.h"
#include "insight/report/JsonReport.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace lh;

namespace {

struct Read {
  FailureOr<SavedRun> run = failure();
  std::vector<Diagnostic> diagnostics;
};

Read read(const std::string &text, RecordParts parts = RecordParts::All) {
  llvm::vfs::InMemoryFileSystem files;
  files.addFile("/r/run.json", 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  SourceStore sources(files);
  CollectingSink sink;
  Read result;
  result.run = readRecord("/r/run.json", sources, sink, parts);
  result.diagnostics = sink.take();
  return result;
}

/// import -> run, with everything that a record may have.
RunRecord makeRecord() {
  RunRecord record;
  record.plan.manifest = "name </script>";
  record.plan.file = "/m.yaml";
  record.seconds = 2.5;
  record.plan.steps.resize(2);
  record.outcomes.resize(2);
  record.plan.steps[0].bubble = "import";
  record.plan.steps[1].id = record.outcomes[1].step = 1;
  record.plan.steps[1].bubble = "tile";
  record.plan.steps[1].parent = 0;
  record.plan.steps[1].action = PassesAction{"cse", {}};
  StepOutcome &outcome = record.outcomes[1];
  outcome.status = StepStatus::TimedOut;
  outcome.reason = "why";
  outcome.begin = 0.5;
  outcome.seconds = 0.25;
  outcome.worker = 3;
  outcome.matches = {{{"s.mlir", 4, 5, 0}, 6}};
  outcome.snapshot = "/r/ir/1-tile.mlir";
  outcome.diagnostics = {
      {DiagKind::IrMessage, Severity::Remark, {"s.mlir", 1, 2, 0}, "said", {}}};
  record.plan.results.resize(1);
  record.plan.results[0].leaf = 1;
  record.results.resize(1);
  record.results[0].key = {"case", "1", "host", "vl=2", "fast"};
  record.results[0].status = ResultStatus::NotApplicable;
  OutputComparison comparison{"y", "oracle", {}};
  comparison.criterion = Criterion::Ratio;
  comparison.basis = {"one", "two"};
  comparison.result.maxAbs = std::numeric_limits<double>::infinity();
  comparison.result.meanRel = std::numeric_limits<double>::quiet_NaN();
  comparison.result.maxUlp = std::numeric_limits<int64_t>::max();
  comparison.result.ulpHistogram[ulpBuckets - 1] = 7;
  comparison.result.worst = {{{1, 2}, 0.5, 0.25, 9, 1.5}};
  record.results[0].comparisons = {comparison};
  return record;
}

ReportContext makeContext() {
  ReportContext context;
  context.versions = {{"LLVM", "22"}};
  context.startedAt = "2026-01-02T03:04:05Z";
  context.repeatLines = {"", "mlir-opt --cse"};
  context.lineAt = [](const SourceSpan &) { return "match"; };
  context.folder = "/r";
  context.space.emplace();
  context.space->manifest = "name </script>";
  context.space->bubbles.resize(2);
  context.space->bubbles[1].name = "tile";
  context.space->pipelines = {{"fast", "#123456", {0, 1}}};
  context.space->targets = {{"host", 4}};
  return context;
}

std::string replaced(std::string text, StringRef from, StringRef to) {
  size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("a run's steps come back from its record", "[record]") {
  Read back = read(jsonReport(makeRecord(), makeContext()));
  REQUIRE(succeeded(back.run));
  CHECK(back.diagnostics.empty());
  CHECK(back.run->manifest == "name </script>");
  CHECK(back.run->versions.at("LLVM") == "22");
  CHECK(back.run->seconds == 2.5);
  REQUIRE(back.run->steps.size() == 2);
  CHECK_FALSE(back.run->steps[0].parent);
  const SavedStep &step = back.run->steps[1];
  CHECK(step.parent == 0);
  CHECK(step.status == StepStatus::TimedOut);
  CHECK(step.begin == 0.5);
  CHECK(step.worker == 3);
  CHECK(step.snapshot == "/r/ir/1-tile.mlir");
  REQUIRE(step.matchedAt.size() == 1);
  auto [place, operations] = step.matchedAt[0];
  CHECK(operations == 6);
  CHECK(back.run->places[place].where.line == 4);
  CHECK(back.run->places[place].text == "match");
  CHECK(back.run->actions[*step.action].kind == "passes");
  CHECK(back.run->actions[*step.action].mlirOpt == "mlir-opt --cse");
  REQUIRE(step.diagnostics.size() == 1);
  CHECK(step.diagnostics[0].kind == DiagKind::IrMessage);
  CHECK(step.diagnostics[0].severity == Severity::Remark);
}

TEST_CASE("outcomes come back without what only pages show", "[record]") {
  std::string text = jsonReport(makeRecord(), makeContext());
  Read back = read(text, RecordParts::Outcomes);
  REQUIRE(succeeded(back.run));
  CHECK(back.run->actions.empty());
  CHECK(back.run->places.empty());
  CHECK_FALSE(back.run->space);
  REQUIRE(back.run->steps.size() == 2);
  CHECK(back.run->steps[1].seconds == 0.25);
  CHECK(back.run->results[0].key.pipeline == "fast");
  CHECK(
      failed(read(text.substr(0, text.size() - 3), RecordParts::Outcomes).run));
}

TEST_CASE("a run's numbers and map come back from its record", "[record]") {
  Read back = read(jsonReport(makeRecord(), makeContext()));
  REQUIRE(succeeded(back.run));
  REQUIRE(back.run->results.size() == 1);
  const SavedResult &result = back.run->results[0];
  CHECK(result.status == ResultStatus::NotApplicable);
  CHECK(result.key.sweep == "vl=2");
  CHECK(result.steps == std::vector<StepId>{0, 1});
  REQUIRE(result.comparisons.size() == 1);
  const OutputComparison &output = result.comparisons[0];
  CHECK(output.criterion == Criterion::Ratio);
  CHECK(output.basis.size() == 2);
  CHECK(std::isinf(output.result.maxAbs));
  CHECK(std::isnan(output.result.meanRel));
  CHECK(output.result.maxUlp == std::numeric_limits<int64_t>::max());
  CHECK(output.result.ulpHistogram[ulpBuckets - 1] == 7);
  REQUIRE(output.result.worst.size() == 1);
  CHECK(output.result.worst[0].index == std::vector<int64_t>{1, 2});
  REQUIRE(back.run->space);
  CHECK(back.run->space->bubbles[1].name == "tile");
  CHECK(back.run->space->pipelines[0].path == std::vector<size_t>{0, 1});
  CHECK(back.run->space->targets[0].runs == 4);
}

TEST_CASE("what was counted comes back from a record", "[record]") {
  RunRecord record = makeRecord();
  RunAction counting;
  counting.countsArithmetic = true;
  record.plan.steps[1].action = counting;
  record.plan.steps[0].children = {1};
  record.outcomes[1].status = StepStatus::Passed;
  record.outcomes[1].arithmetic = ArithmeticCount{4, 3, 8, 4, {{"gemm", 7}}};
  Read back = read(jsonReport(record, makeContext()));
  REQUIRE(succeeded(back.run));
  const SavedResult &result = back.run->results[0];
  REQUIRE(result.arithmetic);
  CHECK(result.arithmetic->vectorisedShare() == 0.75);
  CHECK(result.arithmetic->instructionShare() == 0.5);
  CHECK(unknownCallees(*result.arithmetic) == "gemm");
}

TEST_CASE("a record of the time of FLOP shares is read without them",
          "[record]") {
  std::string text =
      replaced(jsonReport(makeRecord(), makeContext()), "\"flops\": null",
               "\"flops\": {\"scalar\": 1, \"vectorised_share\": 0.75}");
  Read back = read(replaced(text, "\"arithmetic\": null,", ""));
  REQUIRE(succeeded(back.run));
  CHECK_FALSE(back.run->results[0].arithmetic);
  CHECK_FALSE(back.run->results[0].kernels->share());
}

TEST_CASE("a record of another version may have kinds of diagnostics that are "
          "unknown",
          "[record]") {
  std::string text = replaced(jsonReport(makeRecord(), makeContext()),
                              "\"ir-message\"", "\"ir-gone\"");
  Read back = read(text);
  REQUIRE(succeeded(back.run));
  CHECK(back.run->steps[1].diagnostics[0].message == "said");
}

TEST_CASE("what is wrong in a record is named with its place", "[record]") {
  std::string good = jsonReport(makeRecord(), makeContext());
  struct Wrong {
    const char *from, *to, *message;
  };
  const Wrong all[] = {
      {"\"parent\": 0", "\"parent\": 1", "'steps[1].parent' is 1; there are 1"},
      {"\"timed out\"", "\"late\"",
       "'steps[1].status' is 'late', which no status is called"},
      {"\"id\": 1", "\"id\": 7", "'steps[1].id' should be 1"},
      {"\"seconds\": 0.25", "\"seconds\": \"0.25\"",
       "'steps[1].seconds' is string; it should be a number"},
      {"\"output\": \"y\"", "\"other\": \"y\"",
       "'results[0].outputs[0].output' is missing; it should be a string"},
      {"\"0\": 6", "\"9\": 6",
       "'steps[1].matches.9' names no place of 'places'"},
  };
  for (const Wrong &wrong : all) {
    INFO(wrong.message);
    Read back = read(replaced(good, wrong.from, wrong.to));
    REQUIRE(failed(back.run));
    REQUIRE(back.diagnostics.size() == 1);
    CHECK(back.diagnostics[0].kind == DiagKind::ReportBadRecord);
    CHECK(back.diagnostics[0].message == wrong.message);
    CHECK(back.diagnostics[0].where.line > 1);
  }
}

TEST_CASE("a record is refused whatever was wrong before", "[record]") {
  std::string text =
      replaced(jsonReport(makeRecord(), makeContext()), "\"0\": 6", "\"9\": 6");
  llvm::vfs::InMemoryFileSystem files;
  files.addFile("/r/run.json", 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  SourceStore sources(files);
  CollectingSink sink;
  for (int i = 0; i < 20; ++i)
    (void)sink.error(DiagKind::ReportBadRecord, {}, "of another record");
  CHECK(failed(readRecord("/r/run.json", sources, sink)));
}

TEST_CASE("a number that no double holds is named with its place", "[record]") {
  std::string text = jsonReport(makeRecord(), makeContext());
  size_t place = text.find("2.5");
  REQUIRE(place != std::string::npos);
  Read result = read(text.replace(place, 3, "1e999"));
  CHECK(failed(result.run));
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics[0].kind == DiagKind::ReportBadRecord);
  CHECK(result.diagnostics[0].where.line > 1);
  CHECK_THAT(result.diagnostics[0].message, Catch::Contains("'1e999'"));
}

TEST_CASE("a record that is cut anywhere is refused", "[record]") {
  std::string good = jsonReport(makeRecord(), makeContext());
  for (size_t size = 0; size + 2 < good.size(); size += 7) {
    Read back = read(good.substr(0, size));
    INFO(size);
    REQUIRE(failed(back.run));
    REQUIRE(back.diagnostics.size() == 1);
    CHECK(back.diagnostics[0].kind == DiagKind::ReportBadRecord);
  }
}

TEST_CASE("a record of another schema is refused", "[record]") {
  Read back = read("{\n  \"schema\": 2, \"steps\": 3\n}\n");
  REQUIRE(failed(back.run));
  REQUIRE(back.diagnostics.size() == 1);
  CHECK(back.diagnostics[0].kind == DiagKind::ReportRecordVersion);
  CHECK(back.diagnostics[0].where.line == 2);
  CHECK(back.diagnostics[0].where.column == 13);
}

TEST_CASE("values are found in JSON by their path", "[record]") {
  StringRef text = "{\"a]\": [1, {\"b\\\"\": \"}\"},\n [2]], \"c\": null}";
  auto column = [&](std::vector<JsonStep> path) {
    return placeOfValue("f", text, path).column;
  };
  CHECK(column({}) == 1);
  CHECK(column({"a]"}) == 8);
  CHECK(column({"a]", size_t{0}}) == 9);
  CHECK(column({"a]", size_t{1}, "b\\\""}) == 20);
  CHECK(column({"a]", size_t{2}, size_t{0}}) == 3);
  CHECK(placeOfValue("f", text, {{"a]", size_t{2}}}).line == 2);
  CHECK(column({"c"}) == 13);
  CHECK(column({"none"}) == 1);
}
