// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run compare MANIFEST --pipelines A,B`, and the table of all comparisons.
#include "cli/CompareRuns.h"

#include "cli/Command.h"
#include "core/json/Json.h"
#include "core/numerics/Statistics.h"
#include "core/support/FileSystem.h"
#include "insight/report/Summary.h"
#include "insight/report/TextTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace lh;

static int rankOf(const ComparedLine &line) {
  if (!line.reason.empty())
    return 0;
  return line.passed ? 2 : 1;
}

/// An error in proportion to what is expected; not a number counts as most.
static double badnessOf(const ComparedLine &line) {
  double share = line.output.result.worstShare;
  if (!std::isfinite(share) || share == 0)
    share = std::max(share, line.output.result.maxRel);
  return std::isnan(share) ? HUGE_VAL : share;
}

static void sortWorstFirst(std::vector<ComparedLine> &lines) {
  llvm::stable_sort(lines, [](const auto &left, const auto &right) {
    if (rankOf(left) != rankOf(right))
      return rankOf(left) < rankOf(right);
    return badnessOf(left) > badnessOf(right);
  });
}

static std::string number(const char *form, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(form, value);
  return text;
}

static std::string worstText(const CompareResult &result) {
  if (result.worst.empty())
    return "";
  const WorstElement &worst = result.worst.front();
  return indexText(worst.index) + " " + number("%.9g", worst.actual) +
         ", not " + number("%.9g", worst.expected);
}

static Cells cellsOf(const ComparedLine &line) {
  Cells cells = line.names;
  if (!line.reason.empty()) {
    cells.push_back("failed");
    cells.push_back(line.reason);
    return cells;
  }
  const CompareResult &result = line.output.result;
  cells.push_back(line.passed ? "passed" : "failed");
  cells.push_back(enumName(line.output.criterion).str());
  cells.push_back(number("%.3g", result.maxAbs));
  cells.push_back(number("%.3g", result.maxRel));
  cells.push_back(result.maxUlp == INT64_MAX ? "inf"
                                             : std::to_string(result.maxUlp));
  cells.push_back(number("%.3g", result.relativeL2));
  cells.push_back(number("%.3g", result.worstShare));
  cells.push_back(std::to_string(result.mismatches) + "/" +
                  std::to_string(result.elements));
  if (result.maxAbs != 0)
    cells.push_back(worstText(result));
  return cells;
}

static void printCompared(ArrayRef<ComparedLine> lines,
                          ArrayRef<std::string> heads, llvm::raw_ostream &out) {
  std::vector<Cells> table;
  Cells head(heads.begin(), heads.end());
  for (const char *name : {"", "by", "max abs", "max rel", "max ULP", "rel L2",
                           "of allowed", "differ", "worst"})
    head.push_back(name);
  table.push_back(std::move(head));
  for (const ComparedLine &line : lines)
    if (line.reason.empty())
      table.push_back(cellsOf(line));
  for (const ComparedLine &line : lines)
    if (!line.reason.empty())
      out << visibleLine(llvm::join(line.names, "  ")) << ": "
          << visibleMessage(line.reason) << '\n';
  if (table.size() > 1)
    printTable(table, heads.size() + 2, out);
  size_t passed = static_cast<size_t>(
      llvm::count_if(lines, [](const auto &line) { return line.passed; }));
  out << passed << " of " << lines.size() << " passed\n";
}

static LogicalResult writeCompared(ArrayRef<ComparedLine> lines,
                                   ArrayRef<std::string> heads,
                                   const std::string &file,
                                   DiagnosticSink &sink) {
  if (file.empty())
    return success();
  Json array = Json::array();
  for (const ComparedLine &line : lines) {
    Json json;
    for (auto [head, name] : llvm::zip(heads, line.names))
      json[head] = name;
    json["passed"] = line.passed;
    if (!line.reason.empty()) {
      json["reason"] = line.reason;
    } else {
      const CompareResult &result = line.output.result;
      json.update({{"criterion", enumName(line.output.criterion).str()},
                   {"max_abs", result.maxAbs},
                   {"max_rel", result.maxRel},
                   {"max_ulp", result.maxUlp},
                   {"relative_l2", result.relativeL2},
                   {"cosine", result.cosine},
                   {"share", result.worstShare},
                   {"mismatches", result.mismatches},
                   {"elements", result.elements}});
      if (!result.worst.empty())
        json["worst"] = {{"index", result.worst.front().index},
                         {"actual", result.worst.front().actual},
                         {"expected", result.worst.front().expected}};
    }
    array.push_back(std::move(json));
  }
  return writeFileAtomically(file, printJson(array), {}, sink);
}

int lh::reportCompared(std::vector<ComparedLine> lines,
                       ArrayRef<std::string> heads, const std::string &json,
                       llvm::raw_ostream &out, DiagnosticSink &sink) {
  sortWorstFirst(lines);
  printCompared(lines, heads, out);
  if (failed(writeCompared(lines, heads, json, sink)))
    return badUsage;
  return llvm::all_of(lines, [](const auto &line) { return line.passed; }) ? 0
                                                                           : 1;
}

/// B's results are the reference, and a tolerance decides.
static FailureOr<Selection> selectionOf(const CompareOptions &options,
                                        ResolvedGraph &graph,
                                        DiagnosticSink &sink) {
  Selection selection = selectionFor(options.run);
  if (options.pipelines.size() != 2 ||
      options.pipelines[0] == options.pipelines[1])
    return sink.error(DiagKind::PlanUnknownPipeline, {graph.file},
                      "--pipelines takes two names of this manifest's "
                      "pipelines, as in --pipelines optimized,plain");
  for (const std::string &name : options.pipelines) {
    std::vector<StringRef> known;
    bool found = false, runs = false;
    for (const ResolvedPipeline &pipeline : graph.pipelines) {
      known.push_back(pipeline.name);
      if (pipeline.name != name)
        continue;
      found = true;
      runs = std::holds_alternative<ExecuteDecl>(
          graph.bubbles[pipeline.path.back()].action);
    }
    if (!found)
      return sink.error(DiagKind::PlanUnknownPipeline, {graph.file},
                        "no pipeline is called '" + name + "'" +
                            didYouMean(name, known));
    if (!runs)
      return sink.error(DiagKind::PlanUnknownPipeline, {graph.file},
                        "pipeline '" + name +
                            "' doesn't end in 'execute', so it has no results");
  }
  selection.pipelines = {options.pipelines[0]};
  selection.recordsGoldens = true; // their outputs are not looked at
  selection.oracle = OracleMode::Tolerance;
  VerifyDecl verify = graph.verify.value_or(VerifyDecl());
  verify.against = {{options.pipelines[1], {graph.file}}};
  graph.verify = verify;
  setRepeat(graph, 0);
  return selection;
}

/// What a result is of, as far as it isn't the same for all.
static std::string wordsOf(const ResultKey &key) {
  std::string text = key.caseName.empty() ? "-" : key.caseName;
  if (!key.dataSet.empty())
    text += "/" + key.dataSet;
  if (!key.sweep.empty())
    text += " " + key.sweep;
  return text;
}

int lh::comparePipelines(const CompareOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  FailureOr<RunSetup> setup =
      setUpRun(options.run.graph, {}, sources, env, sink);
  if (failed(setup))
    return badUsage;
  FailureOr<Selection> selection = ::selectionOf(options, setup->graph, sink);
  if (failed(selection))
    return badUsage;
  FailureOr<Plan> plan = setup->plan(*selection, env, sink);
  if (failed(plan))
    return badUsage;
  RunRecord record = setup->runToEnd(*plan, options.run);
  std::vector<ComparedLine> lines;
  for (const ResultRecord &result : record.results) {
    if (result.comparisons.empty() &&
        result.status != ResultStatus::NotApplicable)
      lines.push_back({{wordsOf(result.key), "-"}, result.reason, {}, false});
    for (const OutputComparison &output : result.comparisons)
      lines.push_back({{wordsOf(result.key), output.output},
                       output.result.mismatch,
                       output,
                       output.result.passed});
  }
  env.out << "'" << options.pipelines[0] << "' compared with '"
          << options.pipelines[1] << "'";
  if (!record.results.empty())
    env.out << " on target '" << record.results.front().key.target << "'";
  env.out << ", worst first\n";
  return reportCompared(std::move(lines), {"case", "output"}, options.json,
                        env.out, sink);
}
