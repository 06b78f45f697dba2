// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads back the measurements in a JSON report.
#include "insight/report/BenchReader.h"

#include "insight/report/JsonCursor.h"

using namespace lh;

static size_t countFrom(const JsonCursor &object, const char *key) {
  return static_cast<size_t>(std::max<int64_t>(object.integer(key), 0));
}

static SampleStatistics statisticsFrom(const JsonCursor &object) {
  SampleStatistics statistics;
  statistics.count = countFrom(object, "count");
  statistics.median = object.number("median");
  statistics.min = object.number("min");
  statistics.max = object.number("max");
  statistics.p05 = object.number("p05");
  statistics.p95 = object.number("p95");
  statistics.relativeError = object.number("relative_error");
  return statistics;
}

static std::optional<SampleStatistics> statisticsIf(const JsonCursor &object,
                                                    const char *key) {
  if (!object.has(key))
    return std::nullopt;
  return statisticsFrom(object.at(key));
}

static BenchRow rowFrom(const JsonCursor &object, const BenchGroup &group) {
  BenchRow row;
  row.key = {group.caseName, group.dataSet, object.text("target"),
             object.text("sweep"), object.text("pipeline")};
  if (!object.flag("measured")) {
    row.whyNot = object.text("reason");
    return row;
  }
  row.seconds = statisticsFrom(object.at("seconds"));
  object.each("samples", [&](const JsonCursor &sample) {
    row.perLap.push_back(sample.asNumber());
  });
  row.callsPerLap = countFrom(object, "calls_per_sample");
  row.dropped = countFrom(object, "disturbed");
  row.byCpuTime = object.text("clock") == "cpu";
  row.isSteady = object.flag("steady");
  row.leftRace = object.flag("left_race");
  row.bytes = countFrom(object, "bytes");
  row.shareOfPeak = statisticsIf(object, "share_of_peak");
  row.shareOfBandwidth = statisticsIf(object, "share_of_bandwidth");
  row.ratio = statisticsIf(object, "ratio");
  return row;
}

static void readFastest(const JsonCursor &object, BenchGroup &group) {
  if (!object.has("fastest"))
    return;
  JsonCursor fastest = object.at("fastest");
  std::string pipeline = fastest.text("pipeline");
  std::string target = fastest.text("target");
  group.isClear = fastest.flag("clear");
  for (size_t i = 0; i < group.rows.size(); ++i)
    if (group.rows[i].key.pipeline == pipeline &&
        group.rows[i].key.target == target)
      group.fastest = i;
}

static BenchGroup groupFrom(const JsonCursor &object) {
  BenchGroup group;
  group.caseName = object.text("case");
  group.dataSet = object.text("data_set");
  if (object.has("operations")) {
    group.work.emplace();
    object.eachMember("operations",
                      [&](const std::string &dtype, const JsonCursor &count) {
                        group.work->operations[dtype] = count.asNumber();
                      });
  }
  object.each("probes", [&](const JsonCursor &item) {
    std::string of = item.text("of");
    group.probes.push_back({{item.text("name"), of == "memory" ? "" : of, 0},
                            statisticsFrom(item.at("rate"))});
  });
  object.each("rows", [&](const JsonCursor &item) {
    group.rows.push_back(rowFrom(item, group));
  });
  readFastest(object, group);
  return group;
}

BenchRecord lh::benchFrom(const JsonCursor &object) {
  BenchRecord record;
  record.cpu = object.text("cpu");
  record.core = static_cast<int>(object.integer("core"));
  record.threads = static_cast<unsigned>(countFrom(object, "threads"));
  record.base = object.text("base");
  record.isRace = object.flag("race");
  record.targetError = object.number("target_error");
  record.limitSeconds = object.number("limit_seconds");
  record.interrupted = object.flag("interrupted");
  object.each("cases", [&](const JsonCursor &group) {
    record.groups.push_back(groupFrom(group));
  });
  return record;
}
