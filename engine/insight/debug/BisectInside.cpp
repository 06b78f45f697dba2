// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search inside a bubble: its passes, its schedule's operations, and the
// operations that one of these acts on.
#include "insight/debug/Bisection.h"

#include "core/numerics/Statistics.h"
#include "core/numerics/TensorFile.h"
#include "core/plan/OraclePipeline.h"
#include "core/support/FileNames.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace lh;

Step Bisection::stepOf(const StepAction &action, const Fault &fault) const {
  Step step;
  step.bubble = fault.bubble;
  step.declaredAt = fault.bubbleAt;
  step.action = action;
  return step;
}

/// Of a path that fails in a step of its own: whether this one does.
Finding Bisection::askFailing(StepId step, const std::string &name) {
  probes->runTo(step);
  Finding finding;
  for (StepId each : probes->plan().pathTo(step)) {
    const StepOutcome &outcome = probes->outcomes()[each];
    if (outcome.status == StepStatus::Passed)
      continue;
    finding.verdict = Verdict::Bad;
    finding.words = outcome.reason;
    break;
  }
  if (finding.verdict == Verdict::Unknown) {
    finding.verdict = Verdict::Good;
    finding.words = "passes";
  }
  ++asked;
  say("  probe " + Twine(asked) + ": after '" + name + "': " + finding.words);
  return finding;
}

Finding Bisection::askPart(StepId step, const std::string &name) {
  return failsInStep ? askFailing(step, name) : ask(step, name, 0, ~0U);
}

FailureOr<Fault> Bisection::fromFailure() {
  const Plan &plan = probes->plan();
  Fault fault;
  fault.key = plan.results[tested.front()].key;
  fault.property = FaultProperty::Crash;
  size_t at = 0;
  while (probes->outcomes()[path[at]].status == StepStatus::Passed)
    ++at;
  const Step guilty = plan.steps[path[at]];
  fault.bubble = guilty.bubble;
  fault.bubbleAt = guilty.declaredAt;
  fault.words = probes->outcomes()[path[at]].reason;
  fault.badStep = path[at];
  if (at == 0)
    return fault;
  fault.goodStep = fault.inputStep = path[at - 1];
  fault.action = guilty.action;
  searchInside(fault, path[at - 1], path[at]);
  return fault;
}

void Bisection::searchInside(Fault &fault, StepId before, StepId step) {
  unsigned probesBefore = asked;
  const StepAction action = probes->plan().steps[step].action;
  if (const auto *passes = std::get_if<PassesAction>(&action))
    searchPasses(fault, before, *passes);
  // How fast half of a schedule's work makes the code says nothing of the rest.
  else if (const auto *schedule = std::get_if<ScheduleAction>(&action);
           schedule && property != FaultProperty::Slow)
    searchSchedule(fault, before, *schedule);
  fault.innerProbes = asked - probesBefore;
}

static std::string ordinal(size_t number, size_t count) {
  return (Twine(number) + " of " + Twine(count)).str();
}

/// The passes behind the last good one, to the first bad one.
static PassesAction passesOf(ArrayRef<StepPart> parts, const FirstBad &found,
                             const SourceSpan &where) {
  PassesAction several;
  several.where = where;
  for (const StepPart &part : parts.slice(found.good, found.bad - found.good))
    several.pipeline += (several.pipeline.empty() ? "" : ",") +
                        std::get<PassesAction>(part.action).pipeline;
  return several;
}

/// False where the parts together don't show what the whole does.
bool Bisection::searchPasses(Fault &fault, StepId before,
                             const PassesAction &action) {
  std::vector<StepPart> parts = passParts(action, setup.engine->session());
  if (parts.size() < 2) {
    if (!parts.empty()) {
      fault.part = parts.front();
      fault.partNumber = fault.partCount = 1;
    }
    return true;
  }
  std::vector<Step> steps;
  for (const StepPart &part : parts)
    steps.push_back(stepOf(part.action, fault));
  auto ids = probes->addBelow(before, steps);
  if (failed(ids))
    return false;
  std::map<size_t, Finding> findings;
  auto probe = [&](size_t length) {
    findings[length] =
        askPart((*ids)[length - 1],
                parts[length - 1].name + ", " + ordinal(length, parts.size()));
    return findings[length].verdict;
  };
  if (probe(parts.size()) != Verdict::Bad) {
    sink.warning(DiagKind::DriverLostBug, fault.bubbleAt,
                 "lost the fault inside '" + fault.bubble +
                     "': its passes one by one don't show it");
    return false;
  }
  FirstBad found = findFirstBad(0, parts.size(), probe);
  if (!found.unknown.empty())
    sink.warning(DiagKind::DriverNoCompletion,
                 parts[found.unknown[0] - 1].where,
                 "nothing completes what '" + parts[found.unknown[0] - 1].name +
                     "' leaves; so the fault may come from there as well");
  fault.part = parts[found.bad - 1];
  fault.partNumber = found.bad;
  fault.partCount = parts.size();
  fault.words = findings[found.bad].words;
  fault.badStep = (*ids)[found.bad - 1];
  fault.completion = findings[found.bad].completion;
  fault.badResult = findings[found.bad].badResult;
  if (found.good > 0) {
    fault.goodStep = (*ids)[found.good - 1];
    fault.soundCompletion = findings[found.good].completion;
    if (!findings[found.good].results.empty())
      fault.goodResult = findings[found.good].results.front();
  }
  fault.inputStep = fault.goodStep;
  // Where some can't be told apart, the reproducer runs them all.
  fault.action = found.unknown.empty() ? fault.part->action
                                       : passesOf(parts, found, action.where);
  return true;
}

bool Bisection::searchSchedule(Fault &fault, StepId before,
                               const ScheduleAction &action) {
  std::string folder = setup.scratch->path() + "/schedule";
  auto parts = scheduleParts(action, folder, setup.engine->session(), sink);
  if (failed(parts) || parts->empty())
    return false;
  std::map<size_t, StepId> ids;
  std::map<size_t, Finding> findings;
  auto probe = [&](size_t length) {
    const StepPart &part = (*parts)[length - 1];
    auto added = probes->addBelow(before, stepOf(part.action, fault));
    if (failed(added))
      return Verdict::Unknown;
    ids[length] = added->front();
    findings[length] = askPart(
        added->front(), part.name + ", " + ordinal(length, parts->size()));
    return findings[length].verdict;
  };
  if (probe(parts->size()) != Verdict::Bad) {
    sink.warning(DiagKind::DriverLostBug, fault.bubbleAt,
                 "lost the fault inside '" + fault.bubble +
                     "': its schedule in parts doesn't show it");
    return false;
  }
  FirstBad found = findFirstBad(0, parts->size(), probe);
  fault.part = (*parts)[found.bad - 1];
  fault.partNumber = found.bad;
  fault.partCount = parts->size();
  fault.words = findings[found.bad].words;
  fault.badStep = ids[found.bad];
  fault.completion = findings[found.bad].completion;
  fault.badResult = findings[found.bad].badResult;
  fault.inputStep = before;
  fault.action = fault.part->action;
  if (found.good > 0) {
    fault.goodStep = ids[found.good];
    fault.soundAction = (*parts)[found.good - 1].action;
    fault.soundCompletion = findings[found.good].completion;
    if (!findings[found.good].results.empty())
      fault.goodResult = findings[found.good].results.front();
  }
  if (found.unknown.empty())
    searchTargets(fault, before, *fault.part);
  return true;
}

/// How many operations the last match of a part's schedule found; 0: unknown.
static size_t targetsOf(const StepOutcome &outcome, const StepPart &part) {
  for (const MatchCount &match : outcome.matches)
    if (part.targetsFrom.isKnown() &&
        match.where.file == part.targetsFrom.file &&
        match.where.line == part.targetsFrom.line &&
        match.where.column == part.targetsFrom.column)
      return static_cast<size_t>(std::max<int64_t>(match.operations, 0));
  return 0;
}

void Bisection::searchTargets(Fault &fault, StepId before,
                              const StepPart &part) {
  size_t count = targetsOf(probes->outcomes()[*fault.badStep], part);
  if (count < 2)
    return;
  std::map<size_t, StepId> ids;
  std::map<size_t, Finding> findings;
  std::map<size_t, StepPart> fewer;
  std::string folder = setup.scratch->path() + "/targets";
  auto probe = [&](size_t number) {
    auto cut = withFewerTargets(part, static_cast<unsigned>(number),
                                folder + "/" + std::to_string(number) + ".mlir",
                                setup.engine->session(), sink);
    if (failed(cut) || !*cut)
      return Verdict::Unknown;
    auto added = probes->addBelow(before, stepOf((*cut)->action, fault));
    if (failed(added))
      return Verdict::Unknown;
    fewer.emplace(number, **cut);
    ids[number] = added->front();
    findings[number] =
        askPart(added->front(), part.name + " on " + ordinal(number, count));
    return findings[number].verdict;
  };
  FirstBad found = findFirstBad(0, count, probe);
  if (!found.unknown.empty())
    return;
  fault.targetNumber = found.bad;
  fault.targetCount = count;
  if (ids.count(found.good)) {
    fault.goodStep = ids[found.good];
    fault.soundAction = fewer.at(found.good).action;
    fault.soundCompletion = findings[found.good].completion;
    if (!findings[found.good].results.empty())
      fault.goodResult = findings[found.good].results.front();
  }
  if (ids.count(found.bad)) {
    fault.badStep = ids[found.bad];
    fault.action = fewer.at(found.bad).action;
    fault.completion = findings[found.bad].completion;
    fault.badResult = findings[found.bad].badResult;
    fault.words = findings[found.bad].words;
  }
}

/// Writes the modules before and after the guilty part, and compares them.
void Bisection::describe(Fault &fault) {
  if (fault.badResult)
    fault.wrong = firstWrong(*probes, *fault.badResult);
  if (!fault.goodStep || !fault.badStep || failsInStep)
    return;
  std::string folder = setup.scratch->path();
  Step emit =
      stepOf(EmitAction{EmitFormat::Mlir, folder + "/good.mlirbc", {}}, fault);
  auto good = probes->addBelow(*fault.goodStep, emit);
  emit.action = EmitAction{EmitFormat::Mlir, folder + "/bad.mlirbc", {}};
  auto bad = probes->addBelow(*fault.badStep, emit);
  if (failed(good) || failed(bad))
    return;
  probes->runTo({good->front(), bad->front()});
  auto change = changeBetween(folder + "/good.mlirbc", folder + "/bad.mlirbc",
                              setup.engine->session(), sink);
  if (succeeded(change))
    fault.change = std::move(*change);
}

namespace {
/// Which files a comparison was of.
struct ComparedFiles {
  std::string actual, expected, bounds;
};
} // namespace

static std::string fileOf(const StepOutcome &outcome, StringRef name) {
  for (const OutputFile &file : outcome.outputs)
    if (file.name == name)
      return file.path;
  return "";
}

static ComparedFiles filesOf(const Prober &prober, size_t result,
                             const OutputComparison &output) {
  const Plan &plan = prober.plan();
  const PlannedResult &planned = plan.results[result];
  ComparedFiles files;
  files.actual = fileOf(prober.outcomes()[planned.leaf], output.output);
  for (const PlannedComparison &comparison : plan.comparisons) {
    if (comparison.result != result || comparison.against != output.against)
      continue;
    if (comparison.referenceLeaf) {
      const StepOutcome &reference =
          prober.outcomes()[*comparison.referenceLeaf];
      files.expected = fileOf(reference, output.output);
      if (output.criterion == Criterion::Bound)
        files.bounds = fileOf(reference, output.output + boundSuffix.str());
      continue;
    }
    const auto &run = std::get<RunAction>(plan.steps[planned.leaf].action);
    for (const auto &[name, path] : run.data.expected)
      if (fileSafe(name) == fileSafe(output.output))
        files.expected = path;
  }
  return files;
}

static bool isAllowed(double actual, double expected, double allowed) {
  if (std::isnan(actual) || std::isnan(expected))
    return std::isnan(actual) && std::isnan(expected);
  return actual == expected || std::abs(actual - expected) <= allowed;
}

static FailureOr<Tensor> load(const std::string &path) {
  CollectingSink unread;
  return path.empty() ? FailureOr<Tensor>(failure())
                      : readTensorFile(path, unread);
}

std::optional<WrongElement> lh::firstWrong(const Prober &prober,
                                           size_t result) {
  ResultRecord record = prober.judge(result);
  for (const OutputComparison &output : record.comparisons) {
    if (output.result.passed)
      continue;
    ComparedFiles files = filesOf(prober, result, output);
    FailureOr<Tensor> actual = load(files.actual),
                      expected = load(files.expected),
                      bounds = load(files.bounds);
    if (failed(actual) || failed(expected) ||
        actual->shape() != expected->shape())
      continue;
    const Tolerance &tolerance = output.result.tolerance;
    for (int64_t i = 0, e = actual->elementCount(); i < e; ++i) {
      double wanted = expected->at(i);
      double allowed = succeeded(bounds)
                           ? bounds->at(i)
                           : tolerance.atol + tolerance.rtol * std::abs(wanted);
      if (isAllowed(actual->at(i), wanted, allowed))
        continue;
      return WrongElement{output.output, indexOf(i, actual->shape()),
                          actual->at(i), wanted, output.against};
    }
  }
  return std::nullopt;
}
