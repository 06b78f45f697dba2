// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was measured, as a part of the run's JSON report.
#include "insight/report/BenchJson.h"

#include <nlohmann/json.hpp>

using namespace lh;
using Json = nlohmann::ordered_json;

static Json statisticsJson(const SampleStatistics &statistics) {
  return {{"count", statistics.count},
          {"median", statistics.median},
          {"min", statistics.min},
          {"max", statistics.max},
          {"p05", statistics.p05},
          {"p95", statistics.p95},
          {"relative_error", statistics.relativeError}};
}

static Json statisticsOrNull(const std::optional<SampleStatistics> &all) {
  return all ? statisticsJson(*all) : Json();
}

static Json cyclesJson(const ModelledCycles &modelled) {
  return {{"cycles", modelled.cycles},
          {"share_of_peak", modelled.shareOfPeak()}};
}

static Json modelJson(const ModelledCode &code) {
  Json json = {{"counted", code.whyNot.empty()}};
  if (!code.whyNot.empty()) {
    json["reason"] = code.whyNot;
    return json;
  }
  json["vector_bits"] = code.vectorBits;
  json["instructions"] = code.instructions;
  json["kinds"] = code.kinds;
  json["loop_instructions"] = code.loopInstructions;
  json["cycles"] = cycleModelLabel;
  json["cores"] = Json::array();
  for (const ModelledCore &core : code.cores)
    json["cores"].push_back({{"core", core.core},
                             {"all", cyclesJson(core.all)},
                             {"loop", cyclesJson(core.loop)}});
  return json;
}

static Json rowJson(const BenchGroup &group, const BenchRow &row) {
  Json json = {{"pipeline", row.key.pipeline},
               {"target", row.key.target},
               {"sweep", row.key.sweep},
               {"measured", row.whyNot.empty()}};
  if (row.modelled)
    json["modelled"] = modelJson(*row.modelled);
  if (!row.whyNot.empty()) {
    json["reason"] = row.whyNot;
    return json;
  }
  json["seconds"] = statisticsJson(row.seconds);
  json["samples"] = row.perLap;
  json["calls_per_sample"] = row.callsPerLap;
  json["disturbed"] = row.dropped;
  json["clock"] = row.onDevice ? "device" : row.byCpuTime ? "cpu" : "wall";
  json["steady"] = row.isSteady;
  json["left_race"] = row.leftRace;
  json["operations_per_second"] = Json();
  if (std::optional<double> operations = group.operations())
    json["operations_per_second"] = *operations / row.seconds.median;
  json["bytes"] = row.bytes;
  json["bytes_per_second"] =
      static_cast<double>(row.bytes) / row.seconds.median;
  json["share_of_peak"] = statisticsOrNull(row.shareOfPeak);
  json["share_of_bandwidth"] = statisticsOrNull(row.shareOfBandwidth);
  json["ratio"] = statisticsOrNull(row.ratio);
  return json;
}

static Json groupJson(const BenchGroup &group) {
  Json json = {{"case", group.caseName}, {"data_set", group.dataSet}};
  json["operations"] = Json();
  if (group.operations())
    json["operations"] = group.work->operations;
  json["probes"] = Json::array();
  for (const ProbeFigure &figure : group.probes)
    json["probes"].push_back(
        {{"name", figure.probe.name},
         {"of", figure.probe.dtype.empty() ? "memory" : figure.probe.dtype},
         {"rate", statisticsJson(figure.rate)}});
  json["rows"] = Json::array();
  for (const BenchRow &row : group.rows)
    json["rows"].push_back(rowJson(group, row));
  json["fastest"] = Json();
  if (group.fastest) {
    const ResultKey &key = group.rows[*group.fastest].key;
    json["fastest"] = {{"pipeline", key.pipeline},
                       {"target", key.target},
                       {"clear", group.isClear}};
  }
  return json;
}

Json lh::benchJson(const BenchRecord &record) {
  Json json = {{"schema", 1},
               {"cpu", record.cpu},
               {"core", record.core},
               {"threads", record.threads},
               {"base", record.base},
               {"race", record.isRace},
               {"target_error", record.targetError},
               {"limit_seconds", record.limitSeconds},
               {"interrupted", record.interrupted}};
  json["cases"] = Json::array();
  for (const BenchGroup &group : record.groups)
    json["cases"].push_back(groupJson(group));
  return json;
}
