// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Completes prefixes of a path, runs them and judges what comes out.
#include "insight/debug/Prober.h"

#include "core/graph/Evaluate.h"
#include "core/plan/BindAction.h"
#include "core/plan/SubPlan.h"
#include "core/plan/Verifier.h"
#include "insight/report/Summary.h"
#include "insight/report/TerminalReport.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

FailureOr<std::vector<Completion>>
lh::loadCompletions(const TargetSpec &target, const ResolveOptions &options,
                    SourceStore &sources, DiagnosticSink &sink) {
  // What is freed already must not be freed again, and what is freed by nobody
  // would be a leak: 'allocations' tells the two apart by its contract.
  std::vector<Completion> completions = {{"", 0, {}},
                                         {"lib:finish/allocations", 2, {}},
                                         {"lib:finish/buffers", 1, {}},
                                         {"lib:finish/tensors", 3, {}}};
  const std::map<std::string, Value> facts = factValues(target), none;
  const DataSet noData;
  ResolveOptions unset = options;
  unset.set.clear();
  for (Completion &completion : completions) {
    if (completion.name.empty())
      continue;
    auto bubbles =
        loadBubbleFile(completion.name, target, unset, sources, sink);
    if (failed(bubbles))
      return failure();
    for (const ResolvedBubble &bubble : *bubbles) {
      auto steps = bindBubble(
          bubble, {target, noData, none, {&none, &facts, nullptr, nullptr}},
          sink);
      if (failed(steps))
        return failure();
      llvm::append_range(completion.steps, *steps);
    }
    for (Step &step : completion.steps)
      step.bubble = completion.name + " " + step.bubble;
  }
  return completions;
}

Prober::Prober(RunRecord record, std::vector<size_t> tested,
               std::string against, ArrayRef<Completion> completions,
               RunSetup &setup, const ManifestRunOptions &options,
               RunObserver &observer, DiagnosticSink &sink)
    : grown(std::move(record.plan)), known(std::move(record.outcomes)),
      tested(std::move(tested)), against(std::move(against)),
      completions(completions), setup(setup), options(options),
      observer(observer), sink(sink) {
  for (StepId step : grown.pathTo(grown.results[this->tested.front()].leaf))
    if (std::holds_alternative<CompileAction>(grown.steps[step].action))
      compile = grown.steps[step];
  this->options.keepGoing = true;
  // Labels are no comparison: they may miss whatever a prefix does.
  grown.verify.reset();
}

FailureOr<std::vector<StepId>> Prober::addBelow(StepId parent,
                                                ArrayRef<Step> steps) {
  std::vector<StepId> ids;
  for (const Step &step : steps) {
    parent = appendStep(grown, parent, step);
    ids.push_back(parent);
  }
  known.resize(grown.steps.size());
  if (failed(setup.engine->runner().prepare(steps, sink)))
    return failure();
  return ids;
}

void Prober::runTo(ArrayRef<StepId> leaves) {
  RunRecord record = setup.run(restrictedTo(grown, leaves), options, observer);
  interrupted |= record.interrupted;
  mergeOutcomes(known, std::move(record.outcomes));
}

/// Adds a way of completing `prefix` to the plan; none after an error.
std::optional<Prober::Attempt>
Prober::attempt(StepId prefix, const Completion &completion, unsigned repeat) {
  std::vector<Step> steps = completion.steps;
  steps.push_back(compile);
  FailureOr<std::vector<StepId>> ids = addBelow(prefix, steps);
  if (failed(ids))
    return std::nullopt;
  Attempt made{&completion, ids->back(), {}};
  for (size_t original : tested) {
    for (unsigned again = 0; again < repeat; ++again) {
      PlannedResult result = grown.results[original];
      result.leaf = appendStep(grown, made.compile, grown.steps[result.leaf]);
      made.results.push_back(grown.results.size());
      grown.results.push_back(std::move(result));
      size_t count = grown.comparisons.size();
      for (size_t i = 0; i < count; ++i) {
        PlannedComparison comparison = grown.comparisons[i];
        if (comparison.result != original || comparison.against != against)
          continue;
        comparison.result = made.results.back();
        grown.comparisons.push_back(std::move(comparison));
      }
    }
  }
  known.resize(grown.steps.size());
  return made;
}

bool lh::wasIncomplete(const StepOutcome &outcome) {
  return llvm::any_of(outcome.diagnostics, [](const Diagnostic &diagnostic) {
    return diagnostic.kind == DiagKind::BackendNotLowered ||
           diagnostic.kind == DiagKind::BackendMissingAbi ||
           diagnostic.kind == DiagKind::BackendMalformedAbi ||
           diagnostic.kind == DiagKind::BackendUnknownEntry;
  });
}

bool Prober::isUsable(const Attempt &attempt, FaultProperty property) const {
  const StepOutcome &compiled = known[attempt.compile];
  if (compiled.status == StepStatus::Passed)
    return true;
  return property == FaultProperty::Crash &&
         compiled.status != StepStatus::NotRun && !wasIncomplete(compiled);
}

/// What the completion that got furthest has to say.
std::string Prober::whyUnusable(ArrayRef<Attempt> attempts) const {
  for (const Attempt &attempt : llvm::reverse(attempts))
    for (StepId step : grown.pathTo(attempt.compile))
      if (known[step].status != StepStatus::Passed &&
          known[step].status != StepStatus::NotRun)
        return "can't be completed: '" + grown.steps[step].bubble +
               "': " + known[step].reason;
  return "can't be completed";
}

Finding Prober::probe(StepId prefix, FaultProperty property, unsigned least,
                      unsigned most, unsigned repeat) {
  std::vector<Attempt> attempts;
  std::vector<StepId> leaves;
  for (const Completion &completion : completions) {
    if (completion.rank < least || completion.rank > most)
      continue;
    if (auto made = attempt(prefix, completion, repeat)) {
      for (size_t result : made->results)
        leaves.push_back(grown.results[result].leaf);
      attempts.push_back(std::move(*made));
    }
  }
  runTo(leaves);
  Finding finding;
  for (const Attempt &attempt : attempts) {
    if (!isUsable(attempt, property))
      continue;
    finding.verdict = Verdict::Good;
    finding.completion = attempt.completion;
    finding.results = attempt.results;
    for (size_t result : attempt.results) {
      auto [verdict, words] = verdictOn(result, property);
      if (verdict == Verdict::Good && !finding.words.empty())
        continue;
      if (verdict == Verdict::Bad && finding.verdict != Verdict::Bad)
        finding.badResult = result;
      if (finding.verdict != Verdict::Bad) {
        finding.verdict = verdict;
        finding.words = words;
      }
    }
    return finding;
  }
  finding.words = whyUnusable(attempts);
  return finding;
}

ResultRecord Prober::judge(size_t result) const {
  return Verifier(grown).verify(result, known);
}

std::optional<double> Prober::secondsOf(size_t result) const {
  return medianOf(known[grown.results[result].leaf].runSeconds);
}

static bool hasNewSpecials(const ResultRecord &record) {
  return llvm::any_of(record.comparisons, [](const OutputComparison &output) {
    return output.result.nanActual > output.result.nanExpected ||
           output.result.infActual > output.result.infExpected;
  });
}

std::pair<Verdict, std::string>
Prober::verdictOn(size_t result, FaultProperty property) const {
  ResultRecord record = judge(result);
  StepStatus run = known[grown.results[result].leaf].status;
  bool bad = false;
  switch (property) {
  case FaultProperty::Mismatch:
    bad = record.status == ResultStatus::Failed;
    break;
  case FaultProperty::Crash:
    bad = run != StepStatus::Passed && run != StepStatus::NotApplicable;
    break;
  case FaultProperty::Nan:
    bad = hasNewSpecials(record);
    break;
  case FaultProperty::Slow:
    std::optional<double> seconds = secondsOf(result);
    if (!seconds)
      return {Verdict::Unknown, record.reason};
    return {*seconds > mostSeconds ? Verdict::Bad : Verdict::Good,
            "takes " + durationText(*seconds)};
  }
  if (bad)
    return {Verdict::Bad, record.reason.empty() ? "fails" : record.reason};
  if (record.status == ResultStatus::Skipped)
    return {Verdict::Unknown, record.reason};
  return {Verdict::Good, "passes"};
}
