// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run comes to, in a few numbers.
#include "insight/report/Summary.h"

#include "core/manifest/ValueText.h"
#include "core/plan/FirstRuns.h"
#include "core/support/Shell.h"
#include "core/support/VisibleText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <functional>

using namespace lh;

Summary lh::summarize(const RunRecord &record) {
  Summary summary;
  for (const ResultRecord &result : record.results)
    switch (result.status) {
    case ResultStatus::Passed:
      ++summary.passed;
      break;
    case ResultStatus::Emitted:
      ++summary.emitted;
      break;
    case ResultStatus::Failed:
      ++summary.failed;
      break;
    case ResultStatus::Skipped:
      ++summary.skipped;
      break;
    case ResultStatus::Unverified:
      ++summary.unverified;
      break;
    case ResultStatus::NotApplicable:
      ++summary.notApplicable;
      break;
    case ResultStatus::ExpectedFailure:
      ++summary.expectedFailures;
      break;
    }
  return summary;
}

bool lh::isIdleness(const Step &step, const Diagnostic &diagnostic) {
  // What the oracle remarks is not about the user's steps.
  return (diagnostic.kind == DiagKind::IrMatchedNothing ||
          diagnostic.kind == DiagKind::IrChangedNothing) &&
         !isReference(step);
}

static bool warned(const RunRecord &record) {
  for (const ResultRecord &result : record.results)
    for (const OutputComparison &output : result.comparisons)
      if (!output.warnings.empty())
        return true;
  for (const auto &[step, outcome] :
       llvm::zip(record.plan.steps, record.outcomes))
    for (const Diagnostic &diagnostic : outcome.diagnostics)
      if (diagnostic.severity == Severity::Warning ||
          isIdleness(step, diagnostic))
        return true;
  return false;
}

int lh::exitCode(const RunRecord &record, bool strict) {
  Summary summary = summarize(record);
  if (llvm::any_of(record.results, std::mem_fn(&ResultRecord::failsRun)) ||
      record.interrupted || (strict && warned(record)))
    return 1;
  size_t ran = summary.passed + summary.emitted + summary.unverified +
               summary.expectedFailures;
  return ran > 0 ? 0 : 77;
}

std::string lh::countsText(const RunRecord &record) {
  Summary summary = summarize(record);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << summary.passed << " passed, " << summary.failed << " failed, "
         << summary.skipped << " skipped, " << summary.unverified
         << " unverified";
  if (summary.emitted)
    stream << ", " << summary.emitted << " emitted";
  if (summary.notApplicable)
    stream << ", " << summary.notApplicable << " not applicable";
  if (summary.expectedFailures)
    stream << ", " << summary.expectedFailures << " failed as expected";
  return text;
}

std::string lh::resultName(const ResultKey &key) {
  std::string name = key.caseName;
  if (!key.dataSet.empty())
    name.append("/").append(key.dataSet);
  for (const std::string *part : {&key.pipeline, &key.target, &key.sweep})
    if (!part->empty())
      name.append(name.empty() ? "" : " ").append(*part);
  return visibleLine(name);
}

std::vector<StepId> lh::pathOf(const RunRecord &record, size_t result) {
  const PlannedResult &planned = record.plan.results[result];
  if (!planned.notApplicable.empty() || !planned.skipped.empty())
    return {};
  return record.plan.pathTo(planned.leaf);
}

static const DataSet *generatedData(const RunRecord &record, size_t result) {
  std::vector<StepId> path = pathOf(record, result);
  if (path.empty())
    return nullptr;
  const auto *run =
      std::get_if<RunAction>(&record.plan.steps[path.back()].action);
  return run && run->data.generate ? &run->data : nullptr;
}

std::optional<uint64_t> lh::seedOf(const RunRecord &record, size_t result) {
  const DataSet *data = generatedData(record, result);
  return data ? std::optional(data->generate->seed) : std::nullopt;
}

/// `verb` on nothing but this result.
static std::string commandOn(StringRef verb, const RunRecord &record,
                             size_t result) {
  const ResultKey &key = record.plan.results[result].key;
  std::string command =
      ("lh-run " + verb + " " + shellWord(record.plan.file)).str();
  // A model that the command line gave stands in no manifest.
  if (const auto *data = generatedData(record, result)) {
    const Expression &model = data->generate->model;
    if (model.isLiteral() && model.where.file == "<command line>")
      command +=
          " --model " + shellWord(valueText(std::get<Value>(model.pieces[0])));
  }
  for (auto [flag, value] : {std::pair(" --case ", &key.caseName),
                             std::pair(" --pipeline ", &key.pipeline),
                             std::pair(" --target ", &key.target)})
    if (!value->empty())
      command += flag + shellWord(*value);
  return command;
}

std::string lh::reproducingCommand(const RunRecord &record, size_t result) {
  std::optional<uint64_t> seed = seedOf(record, result);
  if (!seed)
    return "";
  return commandOn("run", record, result) + " --seed " + std::to_string(*seed);
}

std::string lh::bisectingCommand(const RunRecord &record, size_t result) {
  const ResultRecord &verdict = record.results[result];
  bool isWrong = verdict.status == ResultStatus::Failed &&
                 llvm::any_of(verdict.comparisons, [](const auto &output) {
                   return !output.result.passed;
                 });
  return isWrong ? commandOn("bisect", record, result) : "";
}

std::optional<double> lh::medianOf(std::vector<double> values) {
  if (values.empty())
    return std::nullopt;
  llvm::sort(values);
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle]
                           : (values[middle - 1] + values[middle]) / 2;
}

std::string lh::unknownCallees(const ArithmeticCount &count) {
  std::vector<std::string> names;
  for (const auto &[name, calls] : count.unknownCalls)
    names.push_back(name);
  return llvm::join(names, ", ");
}

std::string lh::kernelNames(const KernelShare &share) {
  std::vector<std::pair<std::string, double>> kernels(share.kernels.begin(),
                                                      share.kernels.end());
  llvm::stable_sort(kernels, [](const auto &left, const auto &right) {
    return left.second > right.second;
  });
  std::string names;
  for (const auto &[name, count] : kernels)
    names += (names.empty() ? "" : ", ") + name;
  return names;
}

static bool compilesForGpu(const Step &step) {
  const auto *compiled = std::get_if<CompileAction>(&step.action);
  return compiled && compiled->target->backend != "cpu" &&
         compiled->target->compile.empty();
}

/// The larger of two errors, where NaN is the largest.
static double worse(double left, double right) {
  return std::isnan(left) || left > right ? left : right;
}

ResultFigures lh::figuresOf(const RunRecord &record, size_t result) {
  ResultFigures figures;
  for (const OutputComparison &output : record.results[result].comparisons) {
    figures.wasCompared |= output.result.mismatch.empty();
    figures.hasErrors |= isElementwise(output.criterion);
    figures.worstAbsolute = worse(figures.worstAbsolute, output.result.maxAbs);
    figures.worstRelative = worse(figures.worstRelative, output.result.maxRel);
  }
  std::vector<StepId> path = pathOf(record, result);
  bool isOnGpu = llvm::any_of(path, [&](StepId step) {
    return compilesForGpu(record.plan.steps[step]);
  });
  bool ran = !path.empty() &&
             record.outcomes[path.back()].status == StepStatus::Passed;
  if (auto counting =
          ran ? countingRunOf(record.plan, path.back()) : std::nullopt)
    figures.arithmetic = record.outcomes[*counting].arithmetic;
  for (StepId step : path) {
    const StepOutcome &outcome = record.outcomes[step];
    if (!outcome.runSeconds.empty())
      figures.runSeconds = medianOf(outcome.runSeconds);
    if (!isOnGpu || !outcome.kernels)
      continue;
    double share = outcome.kernels->share().value_or(-1);
    if (!figures.kernels || share > figures.kernels->share().value_or(-1))
      figures.kernels = outcome.kernels;
  }
  return figures;
}
