// A run's results for programs.
#include "report/JsonReport.h"

#include "report/BenchJson.h"
#include "report/Summary.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace lh;
using Json = nlohmann::ordered_json;

static Json number(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

static std::string print(const Json &json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

static Json place(const SourceSpan &where) {
  return {{"file", where.file}, {"line", where.line}, {"column", where.column}};
}

static Json diagnosticJson(const Diagnostic &diagnostic) {
  static constexpr const char *severities[] = {"error", "warning", "remark"};
  Json json = {
      {"kind", kindName(diagnostic.kind).str()},
      {"severity", severities[static_cast<size_t>(diagnostic.severity) % 3]},
      {"message", diagnostic.message}};
  if (diagnostic.where.isKnown())
    json["where"] = place(diagnostic.where);
  for (const DiagnosticNote &note : diagnostic.notes)
    json["notes"].push_back(
        {{"message", note.message}, {"where", place(note.where)}});
  return json;
}

static Json stepJson(const Step &step, const StepOutcome &outcome) {
  Json json = {{"id", step.id}, {"bubble", step.bubble}};
  if (step.parent)
    json["parent"] = *step.parent;
  json["status"] = statusName(outcome.status).str();
  if (!outcome.reason.empty())
    json["reason"] = outcome.reason;
  json["seconds"] = number(outcome.seconds);
  json["peak_bytes"] = outcome.peakBytes;
  json["changed_module"] = outcome.changedModule;
  if (!outcome.runSeconds.empty())
    for (double seconds : outcome.runSeconds)
      json["run_seconds"].push_back(number(seconds));
  for (const OutputFile &output : outcome.outputs)
    json["outputs"].push_back({{"name", output.name},
                               {"dtype", output.dtype},
                               {"path", output.path}});
  for (const Diagnostic &diagnostic : outcome.diagnostics)
    json["diagnostics"].push_back(diagnosticJson(diagnostic));
  if (!outcome.log.empty())
    json["log"] = outcome.log;
  return json;
}

static Json toleranceJson(const Tolerance &tolerance) {
  Json json = {{"atol", number(tolerance.atol)},
               {"rtol", number(tolerance.rtol)}};
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
  json["max_abs"] = number(result.maxAbs);
  json["mean_abs"] = number(result.meanAbs);
  json["p99_abs"] = number(result.p99Abs);
  json["rms_abs"] = number(result.rmsAbs);
  json["max_rel"] = number(result.maxRel);
  json["mean_rel"] = number(result.meanRel);
  json["p99_rel"] = number(result.p99Rel);
  json["max_ulp"] = result.maxUlp;
  json["ulp_histogram"] = result.ulpHistogram;
  json["relative_l2"] = number(result.relativeL2);
  json["cosine"] = number(result.cosine);
  json["psnr"] = number(result.psnr());
  json["max_norm"] = number(result.maxNorm);
  json["expected"] = {{"min", number(result.minExpected)},
                      {"max", number(result.maxExpected)},
                      {"rms", number(result.rmsExpected)}};
  json["nan"] = {{"actual", result.nanActual},
                 {"expected", result.nanExpected}};
  json["inf"] = {{"actual", result.infActual},
                 {"expected", result.infExpected}};
  json["denormal"] = {{"actual", result.denormalActual},
                      {"expected", result.denormalExpected}};
  json["unbounded"] = result.unbounded;
  json["worst_share"] = number(result.worstShare);
  json["smallest_atol"] = number(result.smallestAtol);
  json["smallest_rtol"] = number(result.smallestRtol);
  json["worst"] = Json::array();
  for (const WorstElement &element : result.worst)
    json["worst"].push_back({{"index", element.index},
                             {"actual", number(element.actual)},
                             {"expected", number(element.expected)},
                             {"ulp", element.ulp},
                             {"share", number(element.share)}});
  return json;
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
               {"reason", result.reason}};
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
      figures.runSeconds ? number(*figures.runSeconds) : Json();
  json["flops"] = Json();
  if (figures.flops) {
    std::optional<double> share = vectorisedShare(*figures.flops);
    json["flops"] = {{"vectorised", number(figures.flops->vectorised)},
                     {"scalar", number(figures.flops->scalar)},
                     {"vectorised_share", share ? number(*share) : Json()}};
  }
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

std::string lh::jsonReport(const RunRecord &record, const BenchRecord *bench) {
  Summary summary = summarize(record);
  Json json = {{"schema", 1},
               {"manifest", record.plan.manifest},
               {"file", record.plan.file},
               {"interrupted", record.interrupted},
               {"seconds", number(record.seconds)},
               {"summary",
                {{"passed", summary.passed},
                 {"failed", summary.failed},
                 {"skipped", summary.skipped},
                 {"unverified", summary.unverified},
                 {"not_applicable", summary.notApplicable}}}};
  json["results"] = Json::array();
  for (size_t i = 0; i < record.results.size(); ++i)
    json["results"].push_back(resultJson(record, i));
  json["steps"] = Json::array();
  for (const Step &step : record.plan.steps)
    json["steps"].push_back(stepJson(step, record.outcomes[step.id]));
  if (bench)
    json["bench"] = benchJson(*bench);
  return print(json);
}
