// From a resolved graph to a plan: what to run, for whom, on which data.
#include "plan/MakePlan.h"

#include "plan/BindAction.h"
#include "plan/Cases.h"
#include "plan/Select.h"
#include "plan/StepTree.h"
#include "plan/Sweep.h"
#include "plan/Tolerances.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

namespace {

/// One path for one target on one case: what its runs have in common.
struct Combination {
  const SelectedPath &path;
  const TargetSpec &target;
  const ExpandedCase &testCase;
};

/// Grows the plan; `failedOnce` tells whether an error was reported.
class Planner {
public:
  Planner(const ResolvedGraph &graph, const Selection &selection,
          const PlanHost &host, DiagnosticSink &sink)
      : graph(graph), selection(selection), host(host), sink(sink), tree(plan) {
    plan.manifest = graph.name;
    plan.file = graph.file;
  }

  void addResults(const Combination &combination);
  void checkEmits();

  Plan plan;
  bool failedOnce = false;

private:
  std::string whyNotApplicable(const SelectedPath &path,
                               const TargetSpec &target);
  void addRuns(const Combination &combination);
  std::optional<StepId> bindPath(const Combination &combination,
                                 const DataSet &data, const SweepPoint &point);
  void addComparisons(size_t result, const Combination &combination,
                      const DataSet &data, const SweepPoint &point);
  std::optional<StepId> referenceLeaf(StringRef against, StepId leaf,
                                      const Combination &combination,
                                      const DataSet &data,
                                      const SweepPoint &point);
  std::optional<StepId> oracleLeaf(StepId leaf, const DataSet &data);
  bool runs(const SelectedPath &path) const {
    return holds<ExecuteDecl>(path.bubbles.back());
  }
  template <typename Decl> bool holds(size_t bubble) const {
    return std::holds_alternative<Decl>(graph.bubbles[bubble].action);
  }

  const ResolvedGraph &graph;
  const Selection &selection;
  const PlanHost &host;
  DiagnosticSink &sink;
  StepTree tree;
};

} // namespace

std::string Planner::whyNotApplicable(const SelectedPath &path,
                                      const TargetSpec &target) {
  std::map<std::string, Value> facts = factValues(target);
  for (size_t index : path.bubbles) {
    const ResolvedBubble &bubble = graph.bubbles[index];
    unsigned errors = sink.errorCount();
    bool holds = conditionHolds(bubble.when, facts, sink);
    failedOnce |= sink.errorCount() != errors;
    if (!holds)
      return "'when' of bubble '" + bubble.name + "' is false for target '" +
             target.name + "'";
  }
  return "";
}

void Planner::addResults(const Combination &combination) {
  PlannedResult result;
  result.key.caseName = combination.testCase.name;
  result.key.target = combination.target.name;
  result.key.pipeline = combination.path.pipeline->name;
  result.notApplicable = whyNotApplicable(combination.path, combination.target);
  if (result.notApplicable.empty() && runs(combination.path))
    result.skipped = host.whyNot(combination.target);
  if (result.notApplicable.empty() && result.skipped.empty())
    return addRuns(combination);
  for (const DataSet &data : combination.testCase.dataSets) {
    result.key.dataSet = data.name;
    plan.results.push_back(result);
  }
}

void Planner::addRuns(const Combination &combination) {
  bool native = runsNatively(combination.target, host);
  std::optional<StepId> previous;
  for (const DataSet &data : combination.testCase.dataSets)
    for (const SweepPoint &point :
         sweepPoints(combination.target.run, native)) {
      std::optional<StepId> leaf = bindPath(combination, data, point);
      if (!leaf) {
        failedOnce = true;
        return;
      }
      // A path that only writes a module does so once for all data sets.
      if (leaf == previous)
        continue;
      previous = leaf;
      PlannedResult result;
      result.key = {combination.testCase.name, data.name,
                    combination.target.name, sweepText(point),
                    combination.path.pipeline->name};
      result.leaf = *leaf;
      plan.results.push_back(std::move(result));
      if (runs(combination.path))
        addComparisons(plan.results.size() - 1, combination, data, point);
    }
}

/// The leaf of the path's steps with all values in place; none after an error.
std::optional<StepId> Planner::bindPath(const Combination &combination,
                                        const DataSet &data,
                                        const SweepPoint &point) {
  std::map<std::string, Value> facts = factValues(combination.target);
  BindingPoint bindingPoint{
      combination.target, data, point,
      Scope{&graph.params, &facts, &combination.testCase.values, &point}};
  std::optional<StepId> last;
  bool bound = true;
  for (size_t index : combination.path.bubbles) {
    FailureOr<std::vector<Step>> steps =
        bindBubble(graph.bubbles[index], bindingPoint, sink);
    bound = bound && succeeded(steps);
    if (!bound)
      continue;
    for (Step &step : *steps)
      last = tree.add(last, std::move(step));
  }
  if (!bound)
    return std::nullopt;
  if (combination.path.cut) {
    Step emit;
    emit.bubble = "--until";
    emit.declaredAt = combination.path.pipeline->declaredAt;
    emit.action =
        EmitAction{EmitFormat::Mlir, selection.untilPath, std::nullopt};
    last = tree.add(last, std::move(emit));
  }
  return last;
}

void Planner::addComparisons(size_t result, const Combination &combination,
                             const DataSet &data, const SweepPoint &point) {
  if (!graph.verify)
    return;
  for (const Located<std::string> &against : graph.verify->against) {
    PlannedComparison comparison;
    comparison.result = result;
    comparison.against = against.value;
    if (against.value == "golden") {
      if (data.expected.empty())
        continue;
    } else {
      comparison.referenceLeaf = referenceLeaf(
          against.value, plan.results[result].leaf, combination, data, point);
      if (!comparison.referenceLeaf ||
          comparison.referenceLeaf == plan.results[result].leaf)
        continue;
    }
    setTolerances(comparison, selection.tolerance,
                  combination.testCase.tolerance, *graph.verify,
                  combination.target);
    plan.comparisons.push_back(std::move(comparison));
  }
}

std::optional<StepId> Planner::referenceLeaf(StringRef against, StepId leaf,
                                             const Combination &combination,
                                             const DataSet &data,
                                             const SweepPoint &point) {
  if (against == "oracle")
    return oracleLeaf(leaf, data);
  // The reference runs even when the user selected only what it is for.
  for (const ResolvedPipeline &pipeline : graph.pipelines) {
    if (pipeline.name != against)
      continue;
    SelectedPath path{&pipeline, pipeline.path, false};
    if (!runs(path) || !whyNotApplicable(path, combination.target).empty())
      return std::nullopt;
    return bindPath({path, combination.target, combination.testCase}, data,
                    point);
  }
  return std::nullopt;
}

/// The oracle starts from what was imported, and shares no bubble after that.
std::optional<StepId> Planner::oracleLeaf(StepId leaf, const DataSet &data) {
  if (selection.oraclePipeline.empty())
    return std::nullopt;
  std::string entry = std::get<RunAction>(plan.steps[leaf].action).entry;
  StepId imported = plan.pathTo(leaf).front();
  Step step;
  step.declaredAt = plan.steps[imported].declaredAt;
  step.bubble = "oracle/lower";
  step.action = PassesAction{selection.oraclePipeline, step.declaredAt};
  StepId last = tree.add(imported, step);
  step.bubble = "oracle/compile";
  step.action = CompileAction{host.host, entry, step.declaredAt};
  last = tree.add(last, step);
  step.bubble = "oracle/run";
  step.action = RunAction{entry, data, 0, {}};
  return tree.add(last, step);
}

/// Two different modules in one file: the second would replace the first.
void Planner::checkEmits() {
  std::map<std::string, const Step *> writers;
  for (const Step &step : plan.steps) {
    const auto *emit = std::get_if<EmitAction>(&step.action);
    if (!emit || emit->path == "-" || emit->path.empty())
      continue;
    auto [known, isNew] = writers.try_emplace(emit->path, &step);
    if (isNew)
      continue;
    (void)sink.error(DiagKind::PlanOutputTwice, step.declaredAt,
                     "'" + emit->path +
                         "' would be written more than once, with different "
                         "modules; select one pipeline, case and target, or "
                         "put ${case.name} or a target's fact into the path",
                     {{known->second->declaredAt, "also written here"}});
    failedOnce = true;
    return;
  }
}

/// What the graph asks for must be known to this planner.
static LogicalResult checkVerify(const ResolvedGraph &graph,
                                 DiagnosticSink &sink) {
  if (!graph.verify)
    return success();
  OracleMode mode = graph.verify->mode;
  for (const Located<std::string> &against : graph.verify->against)
    if (against.value == "oracle" &&
        (mode == OracleMode::Bound || mode == OracleMode::Ratio))
      return sink.error(DiagKind::PlanUnsupportedOracle, against.where,
                        StringRef(mode == OracleMode::Bound
                                      ? "'oracle: bound'"
                                      : "'oracle: ratio'") +
                            " cannot be computed; use auto, exact or "
                            "tolerance");
  return success();
}

FailureOr<Plan> lh::makePlan(const ResolvedGraph &graph,
                             const Selection &selection, const PlanHost &host,
                             DiagnosticSink &sink) {
  auto targets = selectTargets(graph, selection, host, sink);
  auto paths = selectPaths(graph, selection, sink);
  auto cases = expandCases(graph, selection, host.files, sink);
  LogicalResult verify = checkVerify(graph, sink);
  if (failed(targets) || failed(paths) || failed(cases) || failed(verify))
    return failure();
  Planner planner(graph, selection, host, sink);
  for (const ExpandedCase &testCase : *cases)
    for (const SelectedPath &path : *paths)
      for (const TargetSpec *target : *targets)
        planner.addResults({path, *target, testCase});
  planner.checkEmits();
  if (planner.failedOnce)
    return failure();
  return std::move(planner.plan);
}
