// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the bubble, the pass and the operation that a fault comes from.
#include "insight/debug/Bisection.h"

#include "core/plan/SubPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace lh;

/// At most so many data sets are run by each probe.
constexpr size_t mostTested = 3;

/// Of each probe for slow code.
constexpr unsigned timedCalls = 5;

static bool hasFailed(const ResultRecord &result) {
  return result.status == ResultStatus::Failed ||
         result.status == ResultStatus::ExpectedFailure;
}

void Bisection::readProperty() {
  if (options.property == "crash")
    property = FaultProperty::Crash;
  else if (options.property == "nan")
    property = FaultProperty::Nan;
  else if (options.property == "slow")
    property = FaultProperty::Slow;
}

LogicalResult Bisection::runWhole() {
  readProperty();
  setRepeat(setup.graph, property == FaultProperty::Slow ? timedCalls : 0);
  FailureOr<Plan> plan = setup.plan(selectionFor(options.run), env, sink);
  if (failed(plan))
    return failure();
  ManifestRunOptions run = options.run;
  run.keepGoing = true;
  record = setup.run(*plan, run, observer);
  return success();
}

/// Exact numbers show a fault best, special ones worst.
static int rankOf(const Plan &plan, const PlannedResult &result) {
  const auto *run = std::get_if<RunAction>(&plan.steps[result.leaf].action);
  if (!run)
    return 0;
  switch (run->data.set) {
  case InputSet::Exact:
  case InputSet::Ordered:
    return 3;
  case InputSet::Drawn:
    return 2;
  case InputSet::Specials:
    return 1;
  }
  return 0;
}

/// The failed comparison to go by: the oracle's, where it failed. Golden data
/// may be wrong about the imported module itself.
static std::string failedAgainst(const ResultRecord &result) {
  std::string found;
  for (const OutputComparison &output : result.comparisons)
    if (!output.result.passed && (found.empty() || output.against == "oracle"))
      found = output.against;
  return found;
}

bool Bisection::isTested(size_t index) const {
  const ResultRecord &result = record.results[index];
  if (property == FaultProperty::Slow)
    return !record.outcomes[record.plan.results[index].leaf].runSeconds.empty();
  if (!hasFailed(result))
    return false;
  if (property != FaultProperty::Nan)
    return true;
  return llvm::any_of(result.comparisons, [](const OutputComparison &output) {
    return output.result.nanActual > output.result.nanExpected ||
           output.result.infActual > output.result.infExpected;
  });
}

void Bisection::printHead(const ResultRecord &failed) const {
  const ResultKey &key = failed.key;
  env.out << "pipeline '" << key.pipeline << "' on target '" << key.target
          << "'";
  if (!key.caseName.empty())
    env.out << ", case '" << key.caseName
            << (key.dataSet.empty() ? "" : "/" + key.dataSet) << "'";
  env.out << '\n';
  if (!failed.reason.empty())
    env.out << "  whole path: " << visibleMessage(failed.reason) << '\n';
  env.out.flush();
}

LogicalResult Bisection::choose() {
  const Plan &plan = record.plan;
  for (size_t i = 0; i < plan.results.size(); ++i)
    if (isTested(i))
      tested.push_back(i);
  SourceSpan where{record.plan.file};
  if (record.interrupted)
    return sink.error(DiagKind::DriverNothingToFind, where,
                      "the run was interrupted before anything was found");
  if (tested.empty())
    return sink.error(DiagKind::DriverNothingToFind, where,
                      "nothing to find: no result, of " +
                          Twine(plan.results.size()) +
                          ", shows the fault that was asked for");
  // The first that fails, and what else has run its code.
  const PlannedResult &first = plan.results[tested.front()];
  std::optional<StepId> parent = plan.steps[first.leaf].parent;
  llvm::erase_if(tested, [&](size_t i) {
    return plan.steps[plan.results[i].leaf].parent != parent;
  });
  llvm::stable_sort(tested, [&](size_t a, size_t b) {
    return rankOf(plan, plan.results[a]) > rankOf(plan, plan.results[b]);
  });
  const ResultRecord &shown = record.results[tested.front()];
  tested.resize(std::min(tested.size(),
                         property == FaultProperty::Slow ? 1 : mostTested));
  path = plan.pathTo(plan.results[tested.front()].leaf);
  for (size_t i = 0; i < path.size(); ++i)
    if (std::holds_alternative<CompileAction>(plan.steps[path[i]].action)) {
      compileStep = path[i];
      lengthToCompile = i;
    }
  if (!compileStep)
    lengthToCompile = path.size();
  against = failedAgainst(shown);
  for (size_t i = 0; i < lengthToCompile; ++i)
    failsInStep |= record.outcomes[path[i]].status != StepStatus::Passed;
  if (property == FaultProperty::Mismatch && against.empty())
    property = FaultProperty::Crash;
  printHead(shown);
  return success();
}

Finding Bisection::ask(StepId prefix, const std::string &name, unsigned least,
                       unsigned most) {
  Finding finding =
      probes->probe(prefix, property, least, most, options.repeat);
  ++asked;
  env.out << "  probe " << asked << ": after '" << name
          << "': " << visibleMessage(finding.words);
  if (finding.completion && !finding.completion->name.empty())
    env.out << "  (" << finding.completion->name << ")";
  env.out << '\n';
  env.out.flush();
  return finding;
}

/// Slow is what takes longer than the imported module does, lowered plainly.
FailureOr<Finding> Bisection::timePlain() {
  Finding plain = askAt(0, 0, ~0U);
  if (plain.verdict != Verdict::Good)
    return sink.error(DiagKind::DriverNoCompletion, {record.plan.file},
                      "the imported module " + plain.words +
                          "; there is nothing to compare times with");
  plainSeconds = *probes->secondsOf(plain.results.front());
  probes->allow(options.slowerThan * plainSeconds);
  return plain;
}

/// The whole twice more: it has to be bad each time.
LogicalResult Bisection::checkWhole() {
  SourceSpan where{record.plan.file};
  constexpr unsigned times = 2;
  const StepOutcome &compiled = probes->outcomes()[*compileStep];
  if (compiled.status == StepStatus::Failed && wasIncomplete(compiled))
    return sink.error(DiagKind::DriverNothingToFind, where,
                      "no single bubble is at fault: the path leaves what the "
                      "target can't compile: " +
                          compiled.reason);
  Finding whole =
      probes->probe(path[lengthToCompile - 1], property, 0, 0, times);
  if (probes->wasInterrupted())
    return reportInterrupt();
  bool wasBad =
      probes->verdictOn(tested.front(), property).first == Verdict::Bad;
  unsigned bad = wasBad ? 1 : 0;
  for (unsigned i = 0; i < times && i < whole.results.size(); ++i)
    if (probes->verdictOn(whole.results[i], property).first == Verdict::Bad)
      ++bad;
  say("  probe " + Twine(++asked) + ": the whole path again, " + Twine(times) +
      " runs: " + whole.words);
  if (bad == 0 && property == FaultProperty::Slow)
    return sink.error(DiagKind::DriverNothingToFind, where,
                      "nothing to find: the whole path " + whole.words +
                          ", which --slower-than allows");
  if (bad <= times && options.repeat == 1)
    return sink.error(DiagKind::DriverFlaky, where,
                      "the whole path fails in " + Twine(bad) + " of " +
                          Twine(times + 1) +
                          " runs: the fault comes and goes; --repeat N takes a "
                          "probe for bad when one of N runs is");
  return success();
}

/// After the step at this place of the path. The plan grows meanwhile, so that
/// the name is a copy.
Finding Bisection::askAt(size_t index, unsigned least, unsigned most) {
  std::string name = probes->plan().steps[path[index]].bubble;
  return ask(path[index], name, least, most);
}

/// The ranks that completions of a prefix can have, going by its neighbours.
static std::pair<unsigned, unsigned>
ranksAt(size_t index, const std::map<size_t, Finding> &findings) {
  unsigned least = 0, most = ~0U;
  for (const auto &[at, finding] : findings) {
    if (!finding.completion)
      continue;
    if (at < index)
      most = finding.completion->rank;
    else if (at > index) {
      least = finding.completion->rank;
      break;
    }
  }
  return {least, most};
}

/// The imported module alone has to be good: what is wrong with it already, is
/// no bubble's fault.
FailureOr<Fault> Bisection::faultOfImport(const Finding &imported) {
  SourceSpan where{record.plan.file};
  if (imported.verdict == Verdict::Unknown)
    return sink.error(DiagKind::DriverNoCompletion, where,
                      "the imported module " + imported.words +
                          "; there is nothing to compare prefixes with");
  if (against != "golden")
    return sink.error(
        DiagKind::DriverLostBug, where,
        "lost the fault: the imported module fails already when it is lowered "
        "plainly, so '" +
            against + "', the plain lowering or the import is at fault");
  Fault fault;
  fault.key = probes->plan().results[tested.front()].key;
  fault.property = property;
  fault.bubble = probes->plan().steps[path[0]].bubble;
  fault.bubbleAt = probes->plan().steps[path[0]].declaredAt;
  fault.words = imported.words;
  fault.badStep = path[0];
  fault.badResult = imported.badResult;
  fault.bubbleProbes = asked;
  return fault;
}

/// What the search over the path has come to.
Fault Bisection::faultBetween(const FirstBad &found, const Finding &good,
                              const Finding &bad) {
  const Step &guilty = probes->plan().steps[path[found.bad]];
  Fault fault;
  fault.key = probes->plan().results[tested.front()].key;
  fault.property = property;
  fault.bubble = guilty.bubble;
  fault.bubbleAt = guilty.declaredAt;
  for (size_t index : found.unknown)
    fault.beside.push_back(probes->plan().steps[path[index]].bubble);
  fault.words = bad.words;
  fault.soundCompletion = good.completion;
  fault.completion = bad.completion;
  fault.goodResult = good.results.front();
  fault.badResult = bad.badResult;
  fault.goodStep = path[found.good];
  fault.badStep = path[found.bad];
  fault.bubbleProbes = asked;
  if (!fault.beside.empty())
    return fault;
  fault.inputStep = fault.goodStep;
  fault.action = guilty.action;
  return fault;
}

FailureOr<Fault> Bisection::searchPath() {
  std::map<size_t, Finding> findings;
  if (property == FaultProperty::Slow) {
    FailureOr<Finding> plain = timePlain();
    if (failed(plain))
      return failure();
    findings[0] = *plain;
  }
  if (failed(checkWhole()))
    return failure();
  if (property != FaultProperty::Slow)
    findings[0] = askAt(0, 0, ~0U);
  if (findings[0].verdict != Verdict::Good)
    return faultOfImport(findings[0]);
  FirstBad found = findFirstBad(0, lengthToCompile - 1, [&](size_t index) {
    auto [least, most] = ranksAt(index, findings);
    return (findings[index] = askAt(index, least, most)).verdict;
  });
  if (!findings.count(found.bad))
    findings[found.bad] = askAt(found.bad, 0, 0);
  if (probes->wasInterrupted())
    return reportInterrupt();
  const Finding &good = findings[found.good], &bad = findings[found.bad];
  if (bad.verdict != Verdict::Bad)
    return sink.error(DiagKind::DriverLostBug, {record.plan.file},
                      "lost the fault: the whole path failed, and passes when "
                      "it is run again");
  Fault fault = faultBetween(found, good, bad);
  if (!fault.beside.empty()) {
    sink.warning(DiagKind::DriverNoCompletion, fault.bubbleAt,
                 "nothing completes what '" + fault.beside.front() +
                     "' leaves, which " + findings[found.unknown[0]].words +
                     "; so the fault may come from there as well");
    return fault;
  }
  if (failed(confirm(fault, path[found.good], path[found.bad])))
    return failure();
  searchInside(fault, path[found.good], path[found.bad]);
  return fault;
}

LogicalResult Bisection::reportInterrupt() {
  return sink.error(DiagKind::DriverNothingToFind, {record.plan.file},
                    "interrupted before the search came to its end");
}

/// The two probes that decide, once more.
LogicalResult Bisection::confirm(const Fault &fault, StepId good, StepId bad) {
  if (options.repeat > 1)
    return success();
  auto again = [&](StepId prefix, const Completion *completion) {
    return probes->probe(prefix, property, completion->rank, completion->rank)
        .verdict;
  };
  if (again(good, fault.soundCompletion) == Verdict::Good &&
      again(bad, fault.completion) == Verdict::Bad)
    return success();
  if (probes->wasInterrupted())
    return reportInterrupt();
  return sink.error(DiagKind::DriverFlaky, {record.plan.file},
                    "the probes next to '" + fault.bubble +
                        "' show something else when they are made again: the "
                        "fault comes and goes; --repeat N takes a probe for "
                        "bad when one of N runs is");
}

FailureOr<Fault> Bisection::find() {
  if (failed(choose()))
    return failure();
  const Plan &plan = record.plan;
  TargetSpec target;
  if (compileStep)
    target = *std::get<CompileAction>(plan.steps[*compileStep].action).target;
  auto loaded = loadCompletions(target, resolveOptions(options.run.graph, env),
                                sources, sink);
  if (failed(loaded))
    return failure();
  completions = std::move(*loaded);
  probes =
      std::make_unique<Prober>(std::move(record), tested, against, completions,
                               setup, options.run, observer, sink);
  record.plan = probes->plan();
  FailureOr<Fault> fault = failsInStep ? fromFailure() : searchPath();
  if (succeeded(fault))
    describe(*fault);
  if (succeeded(fault) && property == FaultProperty::Slow)
    llvm::raw_string_ostream(fault->words)
        << llvm::format(", %.3g times what the plain lowering of '",
                        *probes->secondsOf(*fault->badResult) / plainSeconds)
        << probes->plan().steps[path[0]].bubble << "' takes";
  return fault;
}
