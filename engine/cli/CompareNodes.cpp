// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run compare MANIFEST --per-node`: each node of a model by itself.
#include "cli/CompareRuns.h"

#include "cli/Command.h"
#include "compiler/session/NodeModules.h"
#include "core/numerics/Npy.h"
#include "core/numerics/TensorFile.h"
#include "core/plan/GoldenRecord.h"
#include "core/plan/OraclePipeline.h"
#include "core/plan/SubPlan.h"
#include "core/plan/ToolTargets.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

namespace {

/// One comparison of all nodes. Its functions go in the order in which they
/// are called.
class NodeComparison {
public:
  NodeComparison(const CompareOptions &options, RunSetup &setup, DriverEnv &env,
                 DiagnosticSink &sink)
      : options(options), setup(setup), env(env), sink(sink) {}

  LogicalResult findModel();
  LogicalResult computeValues();
  LogicalResult writeNodes();
  LogicalResult runNodes();

  std::vector<ComparedLine> lines;
  std::string pipeline, target;

private:
  LogicalResult refuse(const Twine &message) {
    return sink.error(DiagKind::DriverNotRecorded, {setup.graph.file}, message);
  }
  LogicalResult readValues(const StepOutcome &outcome);
  void addLine(size_t node, StringRef output, std::string reason) {
    lines.push_back({{modules->nodes()[node].name,
                      modules->nodes()[node].opType, output.str()},
                     std::move(reason),
                     {},
                     false});
  }

  const CompareOptions &options;
  RunSetup &setup;
  DriverEnv &env;
  DiagnosticSink &sink;

  Step import;    ///< of the model
  RunAction data; ///< its inputs
  CompileAction host;
  std::string folder; ///< of the nodes
  std::optional<NodeModules> modules;
  std::map<std::string, Tensor> values; ///< by name, in the model's types
  std::map<std::string, size_t> caseOf; ///< node by the name of its case
};

} // namespace

/// The first data set of the case, as the pipeline would run it.
LogicalResult NodeComparison::findModel() {
  Selection selection = selectionFor(options.run);
  selection.recordsGoldens = true; // their outputs are not looked at
  VerifyDecl verify = setup.graph.verify.value_or(VerifyDecl());
  verify.against = {{"oracle", {setup.graph.file}}};
  setup.graph.verify = verify;
  setRepeat(setup.graph, 0);
  FailureOr<Plan> plan = setup.plan(selection, env, sink);
  if (failed(plan))
    return failure();
  for (const PlannedResult &result : plan->results) {
    if (!result.skipped.empty() || !result.notApplicable.empty() ||
        !std::holds_alternative<RunAction>(plan->steps[result.leaf].action) ||
        toolOf(*plan, result.leaf)) // it takes whole models
      continue;
    import = plan->steps[plan->pathTo(result.leaf).front()];
    data = std::get<RunAction>(plan->steps[result.leaf].action);
    pipeline = result.key.pipeline;
    target = result.key.target;
    for (const PlannedComparison &comparison : plan->comparisons)
      if (comparison.referenceLeaf)
        for (StepId step : plan->pathTo(*comparison.referenceLeaf))
          if (const auto *compiled =
                  std::get_if<CompileAction>(&plan->steps[step].action))
            host = *compiled;
    break;
  }
  if (pipeline.empty())
    return refuse("no pipeline that was asked for ends in 'execute' and runs "
                  "here (other compilers take whole models, no nodes)");
  const auto *action = std::get_if<ImportAction>(&import.action);
  if (!action || action->kind != IngressKind::Onnx)
    return refuse("pipeline '" + pipeline +
                  "' doesn't begin with an ONNX model, so it has no nodes to "
                  "compare");
  folder = setup.scratch->path() + "/nodes";
  FailureOr<NodeModules> opened =
      NodeModules::open(*action, setup.engine->session(), sink);
  if (failed(opened))
    return failure();
  modules.emplace(std::move(*opened));
  return success();
}

/// The oracle's values of everything, and the inputs, in the model's types.
LogicalResult NodeComparison::computeValues() {
  std::string file = folder + "/whole.mlirbc";
  if (failed(modules->writeWhole(file, sink)))
    return failure();
  Step step;
  step.declaredAt = import.declaredAt;
  Plan plan;
  step.bubble = "import";
  step.action = ImportAction{IngressKind::Mlir, file, {}, {}};
  plan.steps = {step};
  plan.roots = {0};
  auto add = [&](StringRef name, StepAction action, StepId parent) {
    step.bubble = ("oracle/" + name).str();
    step.action = std::move(action);
    return appendStep(plan, parent, step);
  };
  // In the model's own types, so that integers know their width.
  std::vector<StepId> leaves;
  for (OracleKind kind : {OracleKind::Values, OracleKind::Plain}) {
    StepId last = add(
        "lower", PassesAction{oraclePipeline(kind, {}), step.declaredAt}, 0);
    last = add("compile", host, last);
    leaves.push_back(add("run", RunAction{data.entry, data.data, 0, {}}, last));
  }
  if (failed(setup.engine->runner().prepare(plan.steps, sink)))
    return failure();
  RunRecord record = setup.runToEnd(plan, options.run);
  for (const StepOutcome &outcome : record.outcomes)
    if (outcome.status != StepStatus::Passed)
      return refuse("the oracle can't compute the values between nodes: " +
                    outcome.reason);
  std::map<std::string, DType> types;
  for (const OutputFile &output : record.outcomes[leaves[1]].outputs)
    if (auto dtype = parseDType(output.dtype))
      types[output.name] = *dtype;
  for (const OutputFile &output : record.outcomes[leaves[0]].outputs) {
    if (!types.count(output.name))
      continue; // a bound, or scores
    FailureOr<Tensor> tensor = readTensorFile(output.path, sink);
    if (failed(tensor))
      return failure();
    values.insert_or_assign(output.name,
                            roundedTo(*tensor, types[output.name]));
  }
  return readValues(record.outcomes[leaves[0]]);
}

LogicalResult NodeComparison::readValues(const StepOutcome &outcome) {
  for (const OutputFile &input : outcome.inputs) {
    FailureOr<Tensor> tensor = readTensorFile(input.path, sink);
    if (failed(tensor))
      return failure();
    values.insert_or_assign(input.name, std::move(*tensor));
  }
  return success();
}

/// A case for each node: a golden folder without outputs.
LogicalResult NodeComparison::writeNodes() {
  setup.graph.cases.clear();
  for (auto [index, node] : llvm::enumerate(modules->nodes())) {
    if (node.opType == "Constant" || node.outputs.empty())
      continue;
    std::string place = folder + "/" + std::to_string(index);
    CollectingSink trouble;
    auto inputs =
        modules->writeNode(index, values, place + "/payload.mlir", trouble);
    if (failed(inputs)) {
      addLine(index, "-",
              "can't stand alone: " +
                  (trouble.diagnostics().empty()
                       ? std::string("it can't be imported")
                       : trouble.diagnostics().front().message));
      continue;
    }
    std::vector<std::string> files = inputFileNames(*inputs);
    for (auto [name, file] : llvm::zip(*inputs, files))
      if (failed(writeNpy(place + "/inputs/" + file, values.at(name), sink)))
        return failure();
    CaseDecl declared;
    declared.name = {std::to_string(index), {setup.graph.file}};
    declared.source =
        GoldenCase{Expression{{Value(place)}, {setup.graph.file}}};
    caseOf[declared.name.value] = index;
    setup.graph.cases.push_back(std::move(declared));
  }
  if (caseOf.empty())
    return refuse("the model has no node that can be compared");
  return success();
}

LogicalResult NodeComparison::runNodes() {
  for (ResolvedBubble &bubble : setup.graph.bubbles)
    if (auto *ingress = std::get_if<IngressDecl>(&bubble.action)) {
      ingress->kind = IngressKind::Mlir;
      ingress->shapesFromCase = false;
      ingress->model = {{Reference{Reference::Scope::Case, "model", {}}},
                        {setup.graph.file}};
    }
  Selection selection = selectionFor(options.run);
  selection.cases.clear();
  selection.pipelines = {pipeline};
  selection.targets = {target};
  selection.recordsGoldens = true;
  FailureOr<Plan> plan = setup.plan(selection, env, sink);
  if (failed(plan))
    return failure();
  RunRecord record = setup.runToEnd(*plan, options.run);
  for (const ResultRecord &result : record.results) {
    size_t node = caseOf.at(result.key.caseName);
    if (result.comparisons.empty() &&
        result.status != ResultStatus::NotApplicable)
      addLine(node, "-", result.reason);
    for (const OutputComparison &output : result.comparisons) {
      addLine(node, output.output, output.result.mismatch);
      lines.back().output = output;
      lines.back().passed = output.result.passed;
    }
  }
  return success(!record.interrupted);
}

int lh::compareNodes(const CompareOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  Engine::Options engineOptions;
  engineOptions.runner.keepsInputs = true;
  FailureOr<RunSetup> setup =
      setUpRun(options.run.graph, engineOptions, sources, env, sink);
  if (failed(setup))
    return badUsage;
  NodeComparison comparison(options, *setup, env, sink);
  if (failed(comparison.findModel()))
    return badUsage;
  if (failed(comparison.computeValues()) || failed(comparison.writeNodes()) ||
      failed(comparison.runNodes()))
    return 1;
  env.out << "nodes through '" << comparison.pipeline << "' on target '"
          << comparison.target
          << "', each on the oracle's values, worst first\n";
  return reportCompared(std::move(comparison.lines), {"node", "op", "output"},
                        options.json, env.out, sink);
}
