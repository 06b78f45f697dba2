// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Judges what came out of a run.
#include "core/plan/Verifier.h"

#include "core/plan/Classification.h"
#include "core/plan/FirstRuns.h"
#include "core/plan/GoldenStore.h"
#include "core/plan/OraclePipeline.h"
#include "core/plan/Tolerances.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

Verifier::Verifier(const Plan &plan)
    : plan(plan), comparisonsOf(plan.results.size()),
      firstRuns(findFirstRuns(plan.steps)) {
  for (size_t i = 0; i < plan.comparisons.size(); ++i)
    comparisonsOf[plan.comparisons[i].result].push_back(i);
}

/// The result's own, and those that it is compared with.
std::vector<StepId> Verifier::leavesOf(size_t result) const {
  std::vector<StepId> leaves = {plan.results[result].leaf};
  for (size_t comparison : comparisonsOf[result])
    for (StepId leaf : plan.comparisons[comparison].referenceLeaves())
      leaves.push_back(leaf);
  return leaves;
}

/// Also the first runs on the same code: they alone look for what it leaves
/// unwritten.
std::vector<StepId> Verifier::neededLeaves(size_t result) const {
  const PlannedResult &planned = plan.results[result];
  if (!planned.notApplicable.empty() || !planned.skipped.empty())
    return {};
  std::vector<StepId> needed = leavesOf(result);
  for (StepId leaf : leavesOf(result))
    if (std::optional<StepId> loads = plan.steps[leaf].parent)
      if (auto runs = firstRuns.find(*loads); runs != firstRuns.end())
        llvm::copy_if(runs->second, std::back_inserter(needed),
                      [&](StepId run) { return run != leaf; });
  return needed;
}

static bool isUnwritten(const StepOutcome &outcome) {
  return llvm::any_of(outcome.diagnostics, [](const Diagnostic &diagnostic) {
    return diagnostic.kind == DiagKind::BackendUnwritten;
  });
}

/// What the reference leaves unwritten too is the payload's fault.
StepId Verifier::blamed(size_t result, StepId failed,
                        ArrayRef<StepOutcome> outcomes) const {
  if (isUnwritten(outcomes[failed]))
    for (StepId leaf : leavesOf(result))
      if (leaf != failed && isUnwritten(outcomes[leaf]))
        return leaf;
  return failed;
}

/// The worse of two verdicts stays, with its reason.
static void lower(ResultRecord &record, ResultStatus status,
                  const Twine &reason) {
  auto rank = [](ResultStatus which) {
    return which == ResultStatus::Failed          ? 5
           : which == ResultStatus::Skipped       ? 4
           : which == ResultStatus::Unverified    ? 3
           : which == ResultStatus::NotApplicable ? 2
           : which == ResultStatus::Emitted       ? 1
                                                  : 0;
  };
  if (rank(status) <= rank(record.status))
    return;
  record.status = status;
  record.reason = reason.str();
}

/// The first step on the way to `leaf` that did not pass.
static std::optional<StepId> firstFailure(const Plan &plan, StepId leaf,
                                          ArrayRef<StepOutcome> outcomes) {
  for (StepId step : plan.pathTo(leaf))
    if (outcomes[step].status != StepStatus::Passed)
      return step;
  return std::nullopt;
}

/// As countRight, of the scores in this file.
static FailureOr<std::pair<int64_t, int64_t>>
countRightIn(const std::string &scoresFile, const Tensor &labels,
             std::string &reason) {
  FailureOr<Tensor> scores = loadTensor(scoresFile, reason);
  if (failed(scores))
    return failure();
  return countRight(*scores, labels, reason);
}

/// A few words on a comparison that failed.
static std::string describeMismatch(const CompareResult &result) {
  if (!result.mismatch.empty())
    return result.mismatch;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << result.mismatches << " of " << result.elements
         << " elements differ, the worst by "
         << llvm::format("%.3g", result.maxAbs) << " (relative "
         << llvm::format("%.3g", result.maxRel) << ")";
  return text;
}

std::string Verifier::referenceFailure(const PlannedComparison &comparison,
                                       ArrayRef<StepOutcome> outcomes) const {
  for (StepId leaf : comparison.referenceLeaves()) {
    auto failed = firstFailure(plan, leaf, outcomes);
    if (failed && outcomes[*failed].status != StepStatus::NotRun &&
        outcomes[*failed].status != StepStatus::NotApplicable)
      return "cannot be compared with " + comparison.against + ": bubble '" +
             plan.steps[*failed].bubble +
             "' did not pass: " + outcomes[*failed].reason;
  }
  return "";
}

/// The outputs to compare with; nothing when they are not there, which
/// `record` then tells.
std::optional<NamedFiles>
Verifier::expectedFiles(const PlannedComparison &comparison,
                        ArrayRef<StepOutcome> outcomes,
                        ResultRecord &record) const {
  if (!comparison.referenceLeaf) {
    StepId leaf = plan.results[comparison.result].leaf;
    return std::get<RunAction>(plan.steps[leaf].action).data.expected;
  }
  for (StepId leaf : comparison.referenceLeaves()) {
    auto failed = firstFailure(plan, leaf, outcomes);
    if (!failed)
      continue;
    std::string reason = referenceFailure(comparison, outcomes);
    if (outcomes[*failed].status == StepStatus::NotApplicable)
      lower(record, ResultStatus::NotApplicable, outcomes[*failed].reason);
    else if (reason.empty())
      lower(record, ResultStatus::Skipped, "not run");
    else
      lower(record, ResultStatus::Failed, reason);
    return std::nullopt;
  }
  NamedFiles files = filesOf(outcomes[*comparison.referenceLeaf]);
  llvm::erase_if(files, [](const auto &file) {
    StringRef name = file.first;
    return name.ends_with(boundSuffix) || name.contains(scoresSuffix) ||
           name.contains(selectsSuffix);
  });
  return files;
}

/// Whether the inputs are such that no operation of the model rounds.
static bool isExactSet(const PlannedResult &result, const Plan &plan) {
  InputSet set = std::get<RunAction>(plan.steps[result.leaf].action).data.set;
  return set == InputSet::Exact || set == InputSet::Ordered;
}

/// Of special numbers nothing may be left that is certain, or zeros alone: no
/// fault of the code, and nothing to warn of.
static ResultStatus vacuousStatus(const PlannedResult &result, const Plan &plan,
                                  Judgement &judgement) {
  const auto &run = std::get<RunAction>(plan.steps[result.leaf].action);
  if (run.data.set != InputSet::Specials)
    return ResultStatus::Unverified;
  judgement.warnings.clear();
  return ResultStatus::NotApplicable;
}

/// What lh-error-bounds said of the module: K, or why there are no bounds.
static std::vector<std::string>
remarksOnBounds(const Plan &plan, const PlannedComparison &comparison,
                ArrayRef<StepOutcome> outcomes) {
  std::vector<std::string> remarks;
  if (!comparison.referenceLeaf)
    return remarks;
  for (StepId step : plan.pathTo(*comparison.referenceLeaf))
    for (const Diagnostic &diagnostic : outcomes[step].diagnostics) {
      StringRef message = diagnostic.message;
      if (message.consume_front("lh-error-bounds: "))
        remarks.push_back("bounds: " + message.str());
    }
  return remarks;
}

static bool isDrawn(const StepOutcome &outcome, StringRef output) {
  return llvm::any_of(outcome.outputs, [&](const OutputFile &file) {
    return file.name == output && file.isDrawn;
  });
}

/// Judges one output by what the comparison's leaves hold about it.
Judgement Verifier::judgeOutput(const PlannedComparison &comparison,
                                ArrayRef<StepOutcome> outcomes,
                                const std::string &name, const Tensor &actual,
                                const Tensor &expected) const {
  Exhibits exhibits = gatherExhibits(comparison, outcomes, name);
  auto addressOf = [](auto &tensor) { return tensor ? &*tensor : nullptr; };
  Evidence evidence{actual, expected};
  evidence.mode = comparison.mode;
  evidence.numerics = comparison.numerics;
  evidence.isExactSet = isExactSet(plan.results[comparison.result], plan);
  // The oracle draws the same numbers.
  evidence.isDrawn =
      !comparison.referenceLeaf &&
      isDrawn(outcomes[plan.results[comparison.result].leaf], name);
  evidence.tolerance = toleranceFor(comparison, actual.dtype());
  evidence.bounds = addressOf(exhibits.bounds);
  evidence.plain = addressOf(exhibits.plain);
  if (exhibits.scores)
    evidence.picks.emplace(PickSource{exhibits.scores->first,
                                      exhibits.scores->second,
                                      addressOf(exhibits.scoreBounds)});
  if (exhibits.plainScores)
    evidence.plainScores = &exhibits.plainScores->first;
  if (std::optional<SelectionSource> source = selectionOf(exhibits))
    evidence.selection.emplace(*source);
  Judgement judgement = judge(evidence);
  for (std::string &remark : remarksOnBounds(plan, comparison, outcomes)) {
    if (!judgement.inapplicable.empty())
      judgement.inapplicable += "; " + remark;
    judgement.basis.push_back(std::move(remark));
  }
  if (comparison.modeFrom.isKnown())
    judgement.basis.push_back("as 'oracle:' says at " +
                              comparison.modeFrom.file + ':' +
                              std::to_string(comparison.modeFrom.line));
  if (judgement.criterion == Criterion::Tolerance)
    for (std::string &line : explainTolerance(comparison, actual.dtype()))
      judgement.basis.push_back(std::move(line));
  return judgement;
}

static bool isExcepted(const std::optional<VerifyDecl> &verify,
                       StringRef output) {
  return verify && llvm::any_of(verify->except, [&](const auto &name) {
           return name.value == output;
         });
}

void Verifier::compare(const PlannedComparison &comparison,
                       ArrayRef<StepOutcome> outcomes,
                       ResultRecord &record) const {
  std::optional<NamedFiles> expected =
      expectedFiles(comparison, outcomes, record);
  if (!expected)
    return;
  const PlannedResult &planned = plan.results[comparison.result];
  const auto &run = std::get<RunAction>(plan.steps[planned.leaf].action);
  NamedFiles actual = filesOf(outcomes[planned.leaf]);
  std::string mismatch;
  auto pairs = pairOutputs(actual, *expected, mismatch);
  if (!mismatch.empty())
    lower(record, ResultStatus::Failed, comparison.against + ": " + mismatch);
  bool isCompared = pairs.empty();
  for (auto [position, reference] : pairs) {
    if (isExcepted(plan.verify, actual[position].first))
      continue;
    isCompared = true;
    const std::string &dtype = outcomes[planned.leaf].outputs[position].dtype;
    compareOutput(
        comparison, outcomes, actual[position],
        comparison.referenceLeaf
            ? (*expected)[reference].second
            : expectedFile(run.data, reference, planned.key.target, dtype),
        record);
  }
  if (!isCompared)
    lower(record, ResultStatus::Unverified,
          comparison.against + ": 'except' leaves no output to compare");
}

void Verifier::compareOutput(const PlannedComparison &comparison,
                             ArrayRef<StepOutcome> outcomes,
                             const std::pair<std::string, std::string> &actual,
                             const std::string &expected,
                             ResultRecord &record) const {
  std::string place =
      "output '" + actual.first + "' against " + comparison.against + ": ";
  std::string reason;
  FailureOr<Tensor> got = loadTensor(actual.second, reason);
  FailureOr<Tensor> wanted = failure();
  if (succeeded(got))
    wanted = loadTensor(expected, reason);
  if (succeeded(wanted) && !comparison.referenceLeaf &&
      wanted->dtype() != got->dtype()) {
    reason = ("type " + dtypeName(got->dtype()) + ", '" + expected + "' has " +
              dtypeName(wanted->dtype()))
                 .str();
    wanted = failure();
  }
  if (failed(wanted)) {
    OutputComparison unread{actual.first, comparison.against, {}};
    unread.result.mismatch = reason;
    record.comparisons.push_back(std::move(unread));
    return lower(record, ResultStatus::Failed, place + reason);
  }
  Judgement judgement =
      judgeOutput(comparison, outcomes, actual.first, *got, *wanted);
  if (!judgement.inapplicable.empty())
    return lower(record, ResultStatus::Unverified,
                 place + judgement.inapplicable);
  if (!judgement.reason.empty())
    lower(record, ResultStatus::Failed, place + judgement.reason);
  else if (!judgement.result.passed)
    lower(record, ResultStatus::Failed,
          place + describeMismatch(judgement.result));
  else if (!judgement.vacuities.empty())
    lower(record,
          vacuousStatus(plan.results[comparison.result], plan, judgement),
          place + judgement.vacuities[0]);
  record.comparisons.push_back({actual.first, comparison.against,
                                std::move(judgement.result),
                                judgement.criterion, std::move(judgement.basis),
                                std::move(judgement.warnings)});
}

void Verifier::classify(size_t result, ArrayRef<StepOutcome> outcomes,
                        ResultRecord &record) const {
  StepId leaf = plan.results[result].leaf;
  const std::string &path =
      std::get<RunAction>(plan.steps[leaf].action).data.labels;
  if (path.empty() || outcomes[leaf].outputs.empty())
    return;
  std::string reason;
  FailureOr<Tensor> labels = loadTensor(path, reason);
  FailureOr<std::pair<int64_t, int64_t>> rightly = failure();
  if (succeeded(labels))
    rightly = countRightIn(outcomes[leaf].outputs[0].path, *labels, reason);
  if (failed(rightly))
    return lower(record, ResultStatus::Failed, "labels: " + reason);
  record.classifiedRightly = {rightly->first, rightly->second};
  if (plan.verify && !plan.verify->against.empty())
    demandLabels(result, rightInGolden(result, outcomes, *labels), record);
}

/// How many rows of the expected scores the labels call right; nothing when
/// there are no such scores.
std::optional<int64_t> Verifier::rightInGolden(size_t result,
                                               ArrayRef<StepOutcome> outcomes,
                                               const Tensor &labels) const {
  const PlannedResult &planned = plan.results[result];
  const DataSet &data =
      std::get<RunAction>(plan.steps[planned.leaf].action).data;
  const StepOutcome &outcome = outcomes[planned.leaf];
  std::string ignored;
  for (auto [actual, expected] :
       pairOutputs(filesOf(outcome), data.expected, ignored)) {
    if (actual != 0)
      continue;
    auto rightly = countRightIn(expectedFile(data, expected, planned.key.target,
                                             outcome.outputs[0].dtype),
                                labels, ignored);
    if (succeeded(rightly))
      return rightly->first;
  }
  return std::nullopt;
}

void Verifier::demandLabels(size_t result, std::optional<int64_t> golden,
                            ResultRecord &record) const {
  auto [right, rows] = *record.classifiedRightly;
  LabelRule rule = labelRule(plan.verify->labelsAtLeast, rows, golden);
  if (right >= rule.least)
    return;
  std::string text = (Twine(right) + " of " + Twine(rows) +
                      " rows are classified rightly, and at least " +
                      Twine(rule.least) + " must be: " + rule.reason)
                         .str();
  lower(record, ResultStatus::Failed, "labels: " + text);
  record.diagnostics.push_back(
      {DiagKind::PlanMissedLabels,
       Severity::Error,
       plan.verify->labelsAtLeast ? plan.verify->labelsAtLeast->where
                                  : placeOfVerify(result),
       text +
           "; another share is said by 'labels: {at_least: ...}' in 'verify'",
       {}});
}

SourceSpan Verifier::placeOfVerify(size_t result) const {
  return plan.verify ? plan.verify->where
                     : plan.steps[plan.results[result].leaf].declaredAt;
}

/// What is unverified fails the run, unless the manifest wants it so.
void Verifier::blameUnverified(size_t result, ResultRecord &record) const {
  StepId leaf = plan.results[result].leaf;
  if (plan.verify && plan.verify->against.empty())
    return;
  bool isReference =
      llvm::any_of(plan.comparisons, [&](const PlannedComparison &comparison) {
        return comparison.referenceLeaf == leaf;
      });
  if (comparisonsOf[result].empty() && isReference) {
    record.reason = "it is what others are compared with";
    return;
  }
  StringRef remedy =
      !plan.verify ? "say with what, as in 'verify: {against: [oracle]}', or "
                     "'verify: none' where nothing is to be compared"
      : comparisonsOf[result].empty()
          ? "nothing in 'against' has other outputs for these inputs; "
            "'oracle' has"
          : "other inputs or tighter bounds would tell; 'verify: none' lets it "
            "be";
  record.diagnostics.push_back(
      {DiagKind::PlanUnverified,
       Severity::Error,
       placeOfVerify(result),
       "unverified: " + record.reason + "; " + remedy.str(),
       {}});
}

/// No result is good whose code, or the reference's, was found to leave
/// something unwritten on other data.
void Verifier::distrustUnwritten(size_t result, ArrayRef<StepOutcome> outcomes,
                                 ResultRecord &record) const {
  // The references come last; what they say is the payload's own fault.
  std::vector<StepId> runs = neededLeaves(result);
  for (StepId run : llvm::reverse(runs))
    if (isUnwritten(outcomes[run]))
      lower(record, ResultStatus::Failed,
            "the same code on other data, bubble '" + plan.steps[run].bubble +
                "': " + outcomes[run].reason);
}

ResultRecord Verifier::verify(size_t result,
                              ArrayRef<StepOutcome> outcomes) const {
  const PlannedResult &planned = plan.results[result];
  ResultRecord record;
  record.key = planned.key;
  record.status = ResultStatus::Passed;
  if (!planned.notApplicable.empty()) {
    record.status = ResultStatus::NotApplicable;
    record.reason = planned.notApplicable;
    return record;
  }
  if (!planned.skipped.empty()) {
    record.status = ResultStatus::Skipped;
    record.reason = planned.skipped;
    return record;
  }
  if (outcomes[planned.leaf].status == StepStatus::NotApplicable) {
    record.status = ResultStatus::NotApplicable;
    record.reason = outcomes[planned.leaf].reason;
    return record;
  }
  if (auto failed = firstFailure(plan, planned.leaf, outcomes)) {
    bool ran = outcomes[*failed].status != StepStatus::NotRun;
    record.status = ran ? ResultStatus::Failed : ResultStatus::Skipped;
    StepId named = blamed(result, *failed, outcomes);
    record.reason = ran ? "bubble '" + plan.steps[named].bubble +
                              "': " + outcomes[named].reason
                        : "not run";
    // The run may have ended because this very result's reference failed.
    for (size_t comparison : comparisonsOf[result])
      if (std::string reason =
              referenceFailure(plan.comparisons[comparison], outcomes);
          !reason.empty())
        lower(record, ResultStatus::Failed, reason);
    return record;
  }
  const StepAction &last = plan.steps[planned.leaf].action;
  if (std::holds_alternative<EmitAction>(last))
    lower(record, ResultStatus::Emitted, "it ends in 'emit', so nothing ran");
  if (!std::holds_alternative<RunAction>(last))
    return record;
  distrustUnwritten(result, outcomes, record);
  for (size_t comparison : comparisonsOf[result])
    compare(plan.comparisons[comparison], outcomes, record);
  classify(result, outcomes, record);
  if (comparisonsOf[result].empty())
    lower(record, ResultStatus::Unverified, "there is nothing to compare with");
  if (record.status == ResultStatus::Unverified)
    blameUnverified(result, record);
  return record;
}
