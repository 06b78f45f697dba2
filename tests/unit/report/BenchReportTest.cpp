// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was measured, for people, programs and LNT.
#include "insight/report/BenchTable.h"
#include "insight/report/JsonReport.h"
#include "insight/report/LntReport.h"

#include "llvm/Support/JSON.h"

#include <catch2/catch.hpp>

using namespace lh;

/// A row that was measured and one that wasn't.
static BenchRecord makeBenchRecord() {
  BenchRecord record;
  record.cpu = "znver5";
  record.core = 3;
  record.base = "plain";
  record.targetError = 0.01;
  record.limitSeconds = 2;
  BenchGroup group;
  group.caseName = "square";
  group.work = ContractionWork{{{"float32", 4e9}}};
  group.probes = {{{"float32 FMA", "float32", 1}, statisticsOf({1e10, 1e10})},
                  {{"copy of 1 MiB", "", 1}, statisticsOf({2e10, 2e10})}};
  BenchRow row;
  row.key = {"square", "", "host", "vl=2", "fast"};
  row.perLap = {1, 1, 1, 3};
  row.seconds = statisticsOf(row.perLap);
  row.bytes = 5000000000;
  row.callsPerLap = 1;
  row.dropped = 2;
  row.shareOfPeak = statisticsOf({0.4});
  row.ratio = statisticsOf({2, 4, 3});
  group.rows = {row, {}};
  group.rows[1].key = {"square", "", "host", "", "plain"};
  group.rows[1].whyNot = "failed: wrong";
  record.groups = {group};
  return record;
}

static std::string table(const BenchRecord &record) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printBench(record, stream);
  return text;
}

TEST_CASE("the table says how far each figure is to be trusted", "[bench]") {
  std::string text = table(makeBenchRecord());
  CHECK_THAT(text, Catch::Contains("measured on znver5, core 3\n"));
  CHECK_THAT(text, Catch::Contains("square  fast      host vl=2"));
  CHECK_THAT(text, Catch::Contains("1.00 s"));
  CHECK_THAT(text, Catch::Contains("4.00   40.0 %  5.00        -  "
                                   "3.00x (2.10 to 3.90)\n"));
  CHECK_THAT(text, Catch::Contains("host       not measured\n"));
  CHECK_THAT(text, Catch::Contains("float32 FMA: 10.0 GFLOP/s"));
  CHECK_THAT(text, Catch::Contains("copy of 1 MiB: 20.0 GB/s"));
  CHECK_THAT(text, Catch::Contains("2 of 6 samples were disturbed"));
  CHECK_THAT(text, Catch::Contains("not steady: 4 samples within 2 s"));
  CHECK_THAT(text, Catch::Contains("not measured: failed: wrong\n"));
}

TEST_CASE("the table is as wide as its lines need", "[bench]") {
  std::string text = table(makeBenchRecord());
  llvm::SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  CHECK(lines[2].size() == lines[3].size());
  CHECK_THAT(table({}), Catch::Contains("nothing was measured"));
}

TEST_CASE("a race's table names the winner, or that it isn't clear",
          "[bench]") {
  BenchRecord record = makeBenchRecord();
  record.isRace = true;
  record.groups[0].fastest = 0;
  CHECK_THAT(table(record), Catch::Contains("to the fastest"));
  CHECK_THAT(table(record),
             Catch::Contains("the fastest is fast on host, but within"));
  record.groups[0].isClear = true;
  CHECK_THAT(table(record), Catch::Contains("fast on host\n"));
  record.groups[0].rows[0].leftRace = true;
  CHECK_THAT(table(record), Catch::Contains("left the race after 6 samples"));
  CHECK_THAT(table(record), !Catch::Contains("not steady"));
}

TEST_CASE("the JSON report holds the measurements", "[bench]") {
  BenchRecord record = makeBenchRecord();
  auto json = llvm::json::parse(jsonReport({}, {}, &record));
  REQUIRE(bool(json));
  const auto *bench = json->getAsObject()->getObject("bench");
  REQUIRE(bench);
  const auto *first = (*bench->getArray("cases"))[0].getAsObject();
  CHECK(first->getObject("operations")->getNumber("float32") == 4e9);
  const auto *row = (*first->getArray("rows"))[0].getAsObject();
  CHECK(row->getObject("seconds")->getNumber("median") == 1);
  CHECK(row->getArray("samples")->size() == 4);
  CHECK(row->getNumber("operations_per_second") == 4e9);
  CHECK(row->getBoolean("steady") == false);
  const auto *other = (*first->getArray("rows"))[1].getAsObject();
  CHECK(other->getBoolean("measured") == false);
  CHECK(other->getString("reason") == "failed: wrong");
  CHECK_FALSE(
      llvm::json::parse(jsonReport({}))->getAsObject()->getObject("bench"));
}

TEST_CASE("LNT gets every sample of what was measured", "[bench]") {
  auto json = llvm::json::parse(lntReport(
      makeBenchRecord(), {"box", "7", "2026-01-02T03:04:05", "later"}));
  REQUIRE(bool(json));
  const auto *report = json->getAsObject();
  CHECK(report->getString("format_version") == "2");
  CHECK(report->getObject("machine")->getString("name") == "box");
  const auto *run = report->getObject("run");
  CHECK(run->getString("llvm_project_revision") == "7");
  CHECK(run->getString("start_time") == "2026-01-02T03:04:05");
  const auto *tests = report->getArray("tests");
  REQUIRE(tests->size() == 1);
  const auto *test = (*tests)[0].getAsObject();
  CHECK(test->getString("name") == "square/fast/host/vl=2");
  CHECK(test->getArray("execution_time")->size() == 4);
}
