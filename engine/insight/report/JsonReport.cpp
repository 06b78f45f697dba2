// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run's results for programs.
#include "insight/report/JsonReport.h"

#include "insight/report/BenchJson.h"
#include "insight/report/ResultCodes.h"
#include "insight/report/SpaceJson.h"
#include "insight/report/StepsJson.h"
#include "insight/report/Summary.h"

#include <nlohmann/json.hpp>

using namespace lh;
using Json = nlohmann::ordered_json;

static std::string print(const Json &json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

static Json toleranceJson(const Tolerance &tolerance) {
  Json json = {{"atol", jsonNumber(tolerance.atol)},
               {"rtol", jsonNumber(tolerance.rtol)}};
  if (tolerance.ulp)
    json["ulp"] = *tolerance.ulp;
  return json;
}

static Json comparisonJson(const CompareResult &result) {
  Json json = {{"passed", result.passed}};
  if (!result.mismatch.empty())
    json["mismatch"] = result.mismatch;
  json["tolerance"] = toleranceJson(result.tolerance);
  json["elements"] = result.elements;
  json["mismatches"] = result.mismatches;
  json["max_abs"] = jsonNumber(result.maxAbs);
  json["mean_abs"] = jsonNumber(result.meanAbs);
  json["p99_abs"] = jsonNumber(result.p99Abs);
  json["rms_abs"] = jsonNumber(result.rmsAbs);
  json["max_rel"] = jsonNumber(result.maxRel);
  json["mean_rel"] = jsonNumber(result.meanRel);
  json["p99_rel"] = jsonNumber(result.p99Rel);
  json["max_ulp"] = result.maxUlp;
  json["ulp_histogram"] = result.ulpHistogram;
  json["relative_l2"] = jsonNumber(result.relativeL2);
  json["cosine"] = jsonNumber(result.cosine);
  json["psnr"] = jsonNumber(result.psnr());
  json["max_norm"] = jsonNumber(result.maxNorm);
  json["expected"] = {{"min", jsonNumber(result.minExpected)},
                      {"max", jsonNumber(result.maxExpected)},
                      {"rms", jsonNumber(result.rmsExpected)}};
  json["nan"] = {{"actual", result.nanActual},
                 {"expected", result.nanExpected}};
  json["inf"] = {{"actual", result.infActual},
                 {"expected", result.infExpected}};
  json["denormal"] = {{"actual", result.denormalActual},
                      {"expected", result.denormalExpected}};
  json["unbounded"] = result.unbounded;
  json["worst_share"] = jsonNumber(result.worstShare);
  json["smallest_atol"] = jsonNumber(result.smallestAtol);
  json["smallest_rtol"] = jsonNumber(result.smallestRtol);
  json["worst"] = Json::array();
  for (const WorstElement &element : result.worst)
    json["worst"].push_back({{"index", element.index},
                             {"actual", jsonNumber(element.actual)},
                             {"expected", jsonNumber(element.expected)},
                             {"ulp", element.ulp},
                             {"share", jsonNumber(element.share)}});
  return json;
}

static Json numberOrNull(std::optional<double> share) {
  return share ? jsonNumber(*share) : Json();
}

static Json arithmeticJson(const ArithmeticCount &count) {
  Json calls = Json::array();
  for (const auto &[name, number] : count.unknownCalls)
    calls.push_back({{"name", name}, {"calls", number}});
  return {{"operations", jsonNumber(count.operations)},
          {"vectorised", jsonNumber(count.vectorised)},
          {"instructions", jsonNumber(count.instructions)},
          {"vector_instructions", jsonNumber(count.vectorInstructions)},
          {"vectorised_share", numberOrNull(vectorisedShare(count))},
          {"instruction_share", numberOrNull(instructionShare(count))},
          {"unknown_calls", std::move(calls)}};
}

static Json kernelsJson(const KernelShare &share) {
  Json kernels = Json::array();
  for (const auto &[name, count] : share.kernels)
    kernels.push_back({{"name", name}, {"operations", jsonNumber(count)}});
  return {{"kernels", std::move(kernels)},
          {"without_kernel", jsonNumber(share.withoutKernel)},
          {"kernel_share", numberOrNull(kernelShare(share))}};
}

static Json resultJson(const RunRecord &record, size_t index) {
  const ResultRecord &result = record.results[index];
  const ResultKey &key = result.key;
  ResultFigures figures = figuresOf(record, index);
  Json json = {{"key",
                {{"case", key.caseName},
                 {"data_set", key.dataSet},
                 {"target", key.target},
                 {"sweep", key.sweep},
                 {"pipeline", key.pipeline}}},
               {"status", statusName(result.status).str()},
               {"code", resultCode(record, index).str()},
               {"reason", result.reason}};
  for (const Diagnostic &diagnostic : result.diagnostics)
    json["diagnostics"].push_back(diagnosticJson(diagnostic));
  if (std::optional<uint64_t> seed = seedOf(record, index)) {
    json["seed"] = *seed;
    json["again"] = reproducingCommand(record, index);
  }
  Json seconds = Json::object(), steps = Json::array();
  for (StepId id : pathOf(record, index)) {
    const std::string &bubble = record.plan.steps[id].bubble;
    // `execute` is two steps of one bubble.
    double before = seconds.value(bubble, 0.0);
    seconds[bubble] = before + record.outcomes[id].seconds;
    steps.push_back(id);
  }
  json["seconds"] = std::move(seconds);
  json["steps"] = std::move(steps);
  json["run_seconds"] =
      figures.runSeconds ? jsonNumber(*figures.runSeconds) : Json();
  json["arithmetic"] =
      figures.arithmetic ? arithmeticJson(*figures.arithmetic) : Json();
  json["flops"] = figures.kernels ? kernelsJson(*figures.kernels) : Json();
  json["classified"] = Json();
  if (auto rightly = result.classifiedRightly)
    json["classified"] = {{"rightly", rightly->first}, {"of", rightly->second}};
  json["outputs"] = Json::array();
  for (const OutputComparison &output : result.comparisons) {
    Json comparison = {{"output", output.output},
                       {"against", output.against},
                       {"criterion", criterionName(output.criterion).str()},
                       {"basis", output.basis}};
    if (!output.warnings.empty())
      comparison["warnings"] = output.warnings;
    comparison.update(comparisonJson(output.result));
    json["outputs"].push_back(std::move(comparison));
  }
  return json;
}

std::string lh::jsonComparison(const CompareResult &result) {
  return print(comparisonJson(result));
}

static Json recordJson(const RunRecord &record, const ReportContext &context,
                       const BenchRecord *bench) {
  Summary summary = summarize(record);
  Json json = {{"schema", 1},
               {"manifest", record.plan.manifest},
               {"file", record.plan.file},
               {"versions", context.versions},
               {"started_at", context.startedAt},
               {"interrupted", record.interrupted},
               {"seconds", jsonNumber(record.seconds)},
               {"summary",
                {{"passed", summary.passed},
                 {"emitted", summary.emitted},
                 {"failed", summary.failed},
                 {"skipped", summary.skipped},
                 {"unverified", summary.unverified},
                 {"not_applicable", summary.notApplicable},
                 {"expected_failures", summary.expectedFailures}}}};
  json["results"] = Json::array();
  for (size_t i = 0; i < record.results.size(); ++i)
    json["results"].push_back(resultJson(record, i));
  addStepsJson(record, context, json);
  if (context.space)
    json["space"] = spaceJson(*context.space);
  if (bench)
    json["bench"] = benchJson(*bench);
  return json;
}

std::string lh::jsonReport(const RunRecord &record,
                           const ReportContext &context,
                           const BenchRecord *bench) {
  return print(recordJson(record, context, bench));
}

std::string lh::jsonReports(ArrayRef<TestRun> runs) {
  Json json = {{"schema", 1}, {"tests", Json::array()}};
  for (const TestRun &run : runs)
    json["tests"].push_back(
        {{"bubble", run.bubble},
         {"manifest", run.manifest},
         {"code", run.code ? Json(*run.code) : Json()},
         {"report",
          run.record ? recordJson(*run.record, {}, nullptr) : Json()}});
  return print(json);
}
