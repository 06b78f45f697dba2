// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a resolved graph to a plan: what to run, for whom, on which data.
#include "core/plan/MakePlan.h"

#include "core/manifest/Numerics.h"
#include "core/plan/BindAction.h"
#include "core/plan/Cases.h"
#include "core/plan/Expectation.h"
#include "core/plan/OraclePipeline.h"
#include "core/plan/Select.h"
#include "core/plan/StepTree.h"
#include "core/plan/Sweep.h"
#include "core/plan/Tolerances.h"
#include "core/plan/ToolTargets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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
      : graph(graph), selection(selection), host(host), sink(sink), tree(plan),
        toolTargets(host) {
    plan.manifest = graph.name;
    plan.file = graph.file;
    plan.verify = graph.verify;
    for (const Located<std::string> &file : graph.dialects)
      declare(file);
  }

  void addResults(const Combination &combination);
  void checkEmits();

  Plan plan;
  bool failedOnce = false;

private:
  void declare(const Located<std::string> &dialects);
  std::string whyNoKernel(const SelectedPath &path);
  std::string whyNotApplicable(const SelectedPath &path,
                               const TargetSpec &target);
  ToolState stateOfTool(const SelectedPath &path) const;
  void addRuns(const Combination &combination);
  bool addUnsuited(const Combination &combination, const DataSet &data);
  NumericsDecl numericsOf(const SelectedPath &path);
  std::optional<StepId> bindPath(const Combination &combination,
                                 const DataSet &data, const SweepPoint &point);
  void addComparisons(size_t result, const Combination &combination,
                      const DataSet &data, const SweepPoint &point);
  std::optional<StepId> referenceLeaf(StringRef against,
                                      const Combination &combination,
                                      const DataSet &data,
                                      const SweepPoint &point);
  void addOracle(PlannedComparison &comparison, const TargetSpec &target,
                 const DataSet &data);
  std::optional<StepId> oracleStart(StepId tested);
  StepId oracleLeaf(OracleKind kind, StepId start, StepId tested,
                    const BoundOptions &options, const DataSet &data);
  bool runs(const SelectedPath &path) const {
    return holds<ExecuteDecl>(path.bubbles.back());
  }
  /// Who runs the model in place of the path's code; null: nobody does.
  const ToolSpec *toolOf(const SelectedPath &path) const {
    const auto *execute =
        std::get_if<ExecuteDecl>(&graph.bubbles[path.bubbles.back()].action);
    return execute && execute->tool ? &*execute->tool : nullptr;
  }
  template <typename Decl> bool holds(size_t bubble) const {
    return std::holds_alternative<Decl>(graph.bubbles[bubble].action);
  }

  const ResolvedGraph &graph;
  const Selection &selection;
  const PlanHost &host;
  DiagnosticSink &sink;
  StepTree tree;
  ToolTargets toolTargets;
  std::vector<std::string> ownDialects; ///< the names of those in files
  std::set<StepId> foreignToOracle;     ///< imports, reported
};

} // namespace

void Planner::declare(const Located<std::string> &dialects) {
  FailureOr<std::vector<std::string>> names = std::vector<std::string>();
  if (host.declareDialects)
    names = host.declareDialects(dialects, sink);
  if (failed(names)) {
    failedOnce = true;
    return;
  }
  plan.dialects.push_back(dialects.value);
  llvm::append_range(ownDialects, *names);
}

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

/// What a kernel on the path needs and this machine lacks.
std::string Planner::whyNoKernel(const SelectedPath &path) {
  for (size_t index : path.bubbles) {
    const auto *schedule =
        std::get_if<ScheduleDecl>(&graph.bubbles[index].action);
    if (!schedule || !schedule->kernel || !host.kernelLacks)
      continue;
    std::string why = host.kernelLacks(*schedule->kernel);
    if (!why.empty())
      return "kernel '" + schedule->kernel->name + "': " + why;
  }
  return "";
}

ToolState Planner::stateOfTool(const SelectedPath &path) const {
  const ToolSpec *tool = toolOf(path);
  return tool && host.askTool ? host.askTool(*tool) : ToolState();
}

void Planner::addResults(const Combination &combination) {
  PlannedResult result;
  result.key.caseName = combination.testCase.name;
  result.key.target = combination.target.name;
  result.key.pipeline = combination.path.pipeline->name;
  result.notApplicable = whyNotApplicable(combination.path, combination.target);
  if (result.notApplicable.empty() && toolOf(combination.path))
    result.notApplicable = toolTargets.whyNotOf(
        combination.target, result.key.pipeline, result.key.caseName);
  if (result.notApplicable.empty())
    result.skipped = combination.testCase.absent;
  if (result.notApplicable.empty() && result.skipped.empty() &&
      runs(combination.path))
    result.skipped = host.whyNot(combination.target);
  if (result.notApplicable.empty() && result.skipped.empty())
    result.skipped = whyNoKernel(combination.path);
  if (result.notApplicable.empty() && result.skipped.empty())
    result.skipped = stateOfTool(combination.path).lacks;
  if (result.notApplicable.empty() && result.skipped.empty())
    return addRuns(combination);
  for (const DataSet &data : combination.testCase.dataSets) {
    result.key.dataSet = data.name;
    result.isFurtherDraw = data.draw > 0;
    plan.results.push_back(result);
  }
}

static void addLabel(StringRef label, std::string &text) {
  if (!label.empty())
    text.append(text.empty() ? "" : " ").append(label);
}

void Planner::addRuns(const Combination &combination) {
  bool native = runsNatively(combination.target, host);
  std::optional<StepId> previous;
  for (const DataSet &data : combination.testCase.dataSets) {
    if (addUnsuited(combination, data))
      continue;
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
      if (host.deviceLabel && runs(combination.path))
        addLabel(host.deviceLabel(combination.target), result.key.sweep);
      result.leaf = *leaf;
      result.isFurtherDraw = data.draw > 0;
      result.expectedFailures = expectedFailures(
          graph, combination.path.bubbles, result.key, host.present);
      plan.results.push_back(std::move(result));
      if (runs(combination.path))
        addComparisons(plan.results.size() - 1, combination, data, point);
    }
  }
}

/// Why a path that declares what it does to the numbers can't do with the data;
/// "" when it can.
static std::string whyNotFor(InputSet set, const NumericsDecl &numerics) {
  if (set == InputSet::Drawn)
    return "";
  // Its transforms round, and spread NaN over a tile.
  if (numerics.winograd)
    return "the pipeline computes by Winograd's algorithm, as it declares";
  if (numerics.operands)
    return "the pipeline rounds operands to " + numerics.operands->value +
           ", as it declares";
  bool reassociates = numerics.reassociate && numerics.reassociate->value;
  if (set == InputSet::Ordered && reassociates)
    return "the pipeline adds in another order, as it declares";
  return "";
}

/// True when the data set means nothing to the path; its result says so.
bool Planner::addUnsuited(const Combination &combination, const DataSet &data) {
  std::string why = whyNotFor(data.set, numericsOf(combination.path));
  if (why.empty())
    return false;
  PlannedResult &result = plan.results.emplace_back();
  result.key = {combination.testCase.name, data.name, combination.target.name,
                "", combination.path.pipeline->name};
  result.notApplicable = why;
  result.isFurtherDraw = data.draw > 0;
  return true;
}

/// A fact of this type, if the target has one by this name.
template <typename T>
static std::optional<T> factOf(const TargetSpec &target,
                               const std::string &name) {
  auto found = target.facts.find(name);
  if (found == target.facts.end())
    return std::nullopt;
  const T *value = std::get_if<T>(&found->second.value);
  return value ? std::optional<T>(*value) : std::nullopt;
}

/// What the target's hardware does to the numbers.
static NumericsDecl numericsOf(const TargetSpec &target) {
  NumericsDecl numerics;
  if (auto type = factOf<std::string>(target, "contraction_operands"))
    numerics.operands = {*type, target.facts.at("contraction_operands").where};
  StringRef flush = "contraction_flush_to_zero";
  if (auto flushes = factOf<bool>(target, flush.str()))
    numerics.flushesFactors = {*flushes, target.facts.at(flush.str()).where};
  return numerics;
}

NumericsDecl Planner::numericsOf(const SelectedPath &path) {
  NumericsDecl merged;
  for (size_t bubble : path.bubbles)
    merged = mergeNumerics(merged, graph.bubbles[bubble].numerics);
  return merged;
}

/// The leaf of the path's steps with all values in place; none after an error.
std::optional<StepId> Planner::bindPath(const Combination &combination,
                                        const DataSet &data,
                                        const SweepPoint &point) {
  auto facts = std::make_shared<const std::map<std::string, Value>>(
      factValues(combination.target));
  BindingPoint bindingPoint{
      combination.target,
      data,
      point,
      Scope{&graph.params, facts.get(), &combination.testCase.values, &point},
      runsNatively(combination.target, host),
      runsSimulated(combination.target, host),
      selection.outputFolder,
      graph.tuned,
      facts};
  std::string toolVersion = stateOfTool(combination.path).version;
  bindingPoint.toolVersion = toolVersion;
  std::optional<StepId> last;
  bool bound = true;
  for (size_t index : combination.path.bubbles) {
    FailureOr<std::vector<Step>> steps =
        bindBubble(graph.bubbles[index], bindingPoint, sink);
    // After an error the others are there to be prepared.
    bound = bound && succeeded(steps);
    if (failed(steps))
      continue;
    for (Step &step : *steps) {
      if (const auto *import = std::get_if<ImportAction>(&step.action))
        bindingPoint.model = import->path;
      last = tree.add(last, std::move(step));
    }
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
    const ToleranceDecl &ofCase = combination.testCase.tolerance;
    setTolerances(comparison, selection.tolerance, ofCase, *graph.verify,
                  combination.target);
    setMode(comparison, selection, ofCase, *graph.verify);
    comparison.numerics = mergeNumerics(numericsOf(combination.path),
                                        ::numericsOf(combination.target));
    if (against.value == "golden") {
      if (data.expected.empty())
        continue;
    } else if (against.value == "oracle") {
      addOracle(comparison, combination.target, data);
    } else {
      comparison.referenceLeaf =
          referenceLeaf(against.value, combination, data, point);
      if (!comparison.referenceLeaf ||
          comparison.referenceLeaf == plan.results[result].leaf)
        continue;
    }
    plan.comparisons.push_back(std::move(comparison));
  }
}

std::optional<StepId> Planner::referenceLeaf(StringRef against,
                                             const Combination &combination,
                                             const DataSet &data,
                                             const SweepPoint &point) {
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

/// Whether it says that a module has no operation of these dialects, by name:
/// `only` is of bubbles which come too late for the oracle.
static bool rulesOut(const Rare<FormDecl> &form,
                     ArrayRef<std::string> dialects) {
  return form && llvm::all_of(dialects, [&](const std::string &dialect) {
           return llvm::is_contained(form->dialectsNone, dialect);
         });
}

/// The step behind which the oracle begins: the import or, where the manifest
/// declares dialects, which the oracle doesn't know, the first step that
/// ensures that none of them is left.
std::optional<StepId> Planner::oracleStart(StepId tested) {
  std::vector<StepId> path = plan.pathTo(tested);
  if (ownDialects.empty())
    return path.front();
  for (StepId step : path)
    if (rulesOut(plan.steps[step].ensures, ownDialects))
      return step;
  failedOnce = true;
  if (foreignToOracle.insert(path.front()).second)
    (void)sink.error(
        DiagKind::PlanOracleLost, graph.verify->where,
        "the oracle can't compute '" + llvm::join(ownDialects, "', '") +
            "', and no bubble of a pipeline ensures that nothing of it is "
            "left; say so where it is lowered: 'ensures: {dialects: {none: [" +
            llvm::join(ownDialects, ", ") + "]}}'",
        {{plan.steps[path.front()].declaredAt, "from this import on"}});
  return std::nullopt;
}

/// The leaf of one of the oracle's lowerings, which share no bubble with what
/// is tested behind `start`.
StepId Planner::oracleLeaf(OracleKind kind, StepId start, StepId tested,
                           const BoundOptions &options, const DataSet &data) {
  std::string entry = std::get<RunAction>(plan.steps[tested].action).entry;
  std::string prefix = kind == OracleKind::Plain ? "oracle/plain-" : "oracle/";
  Step step;
  step.declaredAt = plan.steps[start].declaredAt;
  step.bubble = prefix + "lower";
  step.action = PassesAction{oraclePipeline(kind, options), step.declaredAt};
  StepId last = tree.add(start, step);
  step.bubble = prefix + "compile";
  step.action = CompileAction{host.host, entry, step.declaredAt};
  last = tree.add(last, step);
  step.bubble = prefix + "run";
  step.action = RunAction{entry, data, 0, {}};
  return tree.add(last, step);
}

/// The oracle's runs that the comparison's mode may need.
void Planner::addOracle(PlannedComparison &comparison, const TargetSpec &target,
                        const DataSet &data) {
  StepId tested = plan.results[comparison.result].leaf;
  std::optional<StepId> start = oracleStart(tested);
  if (!start)
    return;
  OracleMode mode = comparison.mode;
  BoundOptions options;
  options.numerics = comparison.numerics;
  options.flushToZero = factOf<bool>(target, "flush_to_zero").value_or(false);
  options.proof = mode == OracleMode::Proof;
  bool bounds = mode == OracleMode::Auto || mode == OracleMode::Bound ||
                mode == OracleMode::Proof;
  bool plain = mode == OracleMode::Auto || mode == OracleMode::Ratio;
  comparison.referenceLeaf =
      oracleLeaf(bounds ? OracleKind::Bounds : OracleKind::Values, *start,
                 tested, options, data);
  if (plain)
    comparison.plainLeaf =
        oracleLeaf(OracleKind::Plain, *start, tested, options, data);
}

/// The file that a step writes; empty if none.
static StringRef writtenBy(const Step &step) {
  if (const auto *emit = std::get_if<EmitAction>(&step.action))
    return emit->path;
  const auto *compile = std::get_if<CompileAction>(&step.action);
  return compile && compile->library ? StringRef(compile->library->path) : "";
}

/// Two different modules in one file: the second would replace the first.
void Planner::checkEmits() {
  std::map<std::string, const Step *> writers;
  for (const Step &step : plan.steps) {
    StringRef path = writtenBy(step);
    if (path.empty() || path == "-")
      continue;
    auto [known, isNew] = writers.try_emplace(path.str(), &step);
    if (isNew)
      continue;
    (void)sink.error(DiagKind::PlanOutputTwice, step.declaredAt,
                     "'" + path +
                         "' would be written more than once, with different "
                         "modules; select one pipeline, case and target, or "
                         "put ${case.name} or a target's fact into the path",
                     {{known->second->declaredAt, "also written here"}});
    failedOnce = true;
    return;
  }
}

namespace {

/// Drops what seems to be wrong only because parts of the graph are lacking.
class FollowUpFilter : public DiagnosticSink {
public:
  FollowUpFilter(const MissingParts &missing, bool hasTargets,
                 DiagnosticSink &sink)
      : missing(missing), hasTargets(hasTargets), sink(sink) {}

private:
  bool isFollowUp(DiagKind kind) const {
    switch (kind) {
    case DiagKind::PlanUnknownTarget:
    case DiagKind::PlanUnusedGolden:
      return missing.targets;
    case DiagKind::PlanUnknownPipeline:
    case DiagKind::PlanUnknownBubble:
      return missing.pipelines;
    case DiagKind::TargetUnknownFact:
    case DiagKind::GraphUndefinedName:
      return missing.targets && !hasTargets;
    default:
      return false;
    }
  }
  void handle(const Diagnostic &diagnostic) override {
    if (!isFollowUp(diagnostic.kind))
      sink.emit(diagnostic);
  }

  MissingParts missing;
  bool hasTargets;
  DiagnosticSink &sink;
};

/// Which paths for whom.
struct Choice {
  std::vector<const TargetSpec *> targets;
  std::vector<SelectedPath> paths;
};

} // namespace

/// What a wrong name was to pick is not known: then it is what no name picks.
static Choice choose(const ResolvedGraph &graph, const Selection &selection,
                     const PlanHost &host, DiagnosticSink &sink) {
  auto targets = selectTargets(graph, selection, host, sink);
  if (failed(targets) || targets->empty())
    targets = selectTargets(graph, {}, host, sink);
  auto paths = selectPaths(graph, selection, sink);
  if (failed(paths))
    paths = selectPaths(graph, {}, sink);
  return {std::move(*targets), std::move(*paths)};
}

/// The path as measurement has changed it for this target and case.
static SelectedPath tunedPath(const ResolvedGraph &graph, SelectedPath path,
                              const TargetSpec &target,
                              const ExpandedCase &testCase) {
  for (const TunedPipeline &tuned : graph.tunedPipelines) {
    if (tuned.target != target.name || tuned.pipeline != path.pipeline->name ||
        (!tuned.caseName.empty() && tuned.caseName != testCase.name))
      continue;
    size_t length = std::min(path.bubbles.size(), tuned.path.size());
    path.bubbles.assign(tuned.path.begin(),
                        tuned.path.begin() + ptrdiff_t(length));
    break;
  }
  return path;
}

static PlanParts planAll(const ResolvedGraph &graph, const Choice &choice,
                         const CaseParts &cases, const Selection &selection,
                         const PlanHost &host, DiagnosticSink &sink) {
  Planner planner(graph, selection, host, sink);
  for (const ExpandedCase &testCase : cases.cases)
    for (const SelectedPath &path : choice.paths)
      for (const TargetSpec *target : choice.targets)
        planner.addResults({graph.tunedPipelines.empty()
                                ? path
                                : tunedPath(graph, path, *target, testCase),
                            *target, testCase});
  planner.checkEmits();
  return {std::move(planner.plan), !planner.failedOnce};
}

/// Asks once for each target or tool, which is known by its address.
template <typename Answer, typename Asked>
static std::function<Answer(const Asked &)>
askedOnce(std::function<Answer(const Asked &)> question) {
  if (!question)
    return question;
  return [question = std::move(question),
          answers =
              std::map<const Asked *, Answer>()](const Asked &asked) mutable {
    auto [answer, isNew] = answers.try_emplace(&asked);
    if (isNew)
      answer->second = question(asked);
    return answer->second;
  };
}

PlanParts lh::planParts(const ResolvedGraph &graph, const MissingParts &missing,
                        const Selection &selection, const PlanHost &slowHost,
                        DiagnosticSink &sink) {
  // To look at the machine takes longer than to plan a result.
  PlanHost host = slowHost;
  host.whyNot = askedOnce(slowHost.whyNot);
  host.deviceLabel = askedOnce(slowHost.deviceLabel);
  host.askTool = askedOnce(slowHost.askTool);
  unsigned errors = sink.errorCount();
  FollowUpFilter filter(missing, !graph.targets.empty(), sink);
  Choice choice = choose(graph, selection, host, filter);
  CaseParts cases =
      expandCaseParts(graph, missing.cases, selection,
                      CaseFiles(host.files, host.readPrograms), filter);
  PlanParts result = planAll(graph, choice, cases, selection, host, filter);
  result.isComplete &= !missing.any && sink.errorCount() == errors;
  return result;
}

FailureOr<Plan> lh::makePlan(const ResolvedGraph &graph,
                             const Selection &selection, const PlanHost &host,
                             DiagnosticSink &sink) {
  PlanParts parts = planParts(graph, {}, selection, host, sink);
  if (!parts.isComplete)
    return failure();
  return std::move(parts.plan);
}
