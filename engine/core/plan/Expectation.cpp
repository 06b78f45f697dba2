// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failures that a manifest announces: which results they are of, and what they
// make of a verdict.
#include "core/plan/Expectation.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace lh;

/// Whether `name` is among `names`, or these are none.
static bool isAmong(ArrayRef<Located<std::string>> names, StringRef name) {
  return names.empty() || llvm::any_of(names, [&](const auto &one) {
           return one.value == name;
         });
}

bool lh::concerns(const FailDecl &fail, StringRef target, StringRef pipeline) {
  return isAmong(fail.targets, target) && isAmong(fail.pipelines, pipeline);
}

std::vector<ExpectedFailure> lh::expectedFailures(const ResolvedGraph &graph,
                                                  ArrayRef<size_t> path,
                                                  const ResultKey &key,
                                                  const Present &present) {
  std::vector<ExpectedFailure> expected;
  auto add = [&](const FailDecl &fail) {
    if (concerns(fail, key.target, key.pipeline))
      expected.push_back({fail.bubble, fail.reason.value,
                          whyOver(fail.until.value, present),
                          fail.reason.where});
  };
  for (size_t bubble : path)
    llvm::for_each(graph.bubbles[bubble].fails, add);
  // A case of many folders is the part before the slash.
  StringRef caseName = StringRef(key.caseName).split('/').first;
  for (const CaseDecl &decl : graph.cases)
    if (decl.fails && decl.name.value == caseName)
      add(*decl.fails);
  return expected;
}

/// The bubble whose step ended the result; "" when all its steps passed.
static StringRef failedBubble(const Plan &plan, size_t result,
                              ArrayRef<StepOutcome> outcomes) {
  for (StepId step : plan.pathTo(plan.results[result].leaf))
    if (outcomes[step].status != StepStatus::Passed)
      return plan.steps[step].bubble;
  return "";
}

/// Whether a failure of `bubble` is the announced one.
static bool announces(const ExpectedFailure &expected, StringRef bubble) {
  return expected.bubble.empty() ||
         (bubble.consume_front(expected.bubble) &&
          (bubble.empty() || bubble.starts_with("/")));
}

/// Whether the failure is the announced one. Numbers that differ are the
/// failure of the bubble that ran the code.
static bool isAnnounced(const ExpectedFailure &expected, const Plan &plan,
                        size_t result, ArrayRef<StepOutcome> outcomes) {
  StringRef failed = failedBubble(plan, result, outcomes);
  if (failed.empty())
    failed = plan.steps[plan.results[result].leaf].bubble;
  return announces(expected, failed);
}

std::vector<bool> lh::stepsExpectedToFail(const Plan &plan) {
  std::vector<bool> mayFail(plan.steps.size(), false);
  for (const PlannedResult &result : plan.results)
    for (const ExpectedFailure &expected : result.expectedFailures)
      if (expected.expired.empty())
        for (StepId step : plan.pathTo(result.leaf))
          if (announces(expected, plan.steps[step].bubble))
            mayFail[step] = true;
  return mayFail;
}

void lh::applyExpectedFailures(const Plan &plan, size_t result,
                               ArrayRef<StepOutcome> outcomes,
                               ResultRecord &verdict) {
  if (verdict.status != ResultStatus::Failed)
    return;
  for (const ExpectedFailure &expected :
       plan.results[result].expectedFailures) {
    if (!isAnnounced(expected, plan, result, outcomes))
      continue;
    if (expected.expired.empty()) {
      verdict.status = ResultStatus::ExpectedFailure;
      verdict.reason = expected.reason + " (" + verdict.reason + ")";
      return;
    }
    verdict.diagnostics.push_back(
        {DiagKind::PlanExpectationExpired,
         Severity::Error,
         expected.where,
         "this failure is expected no longer: " + expected.expired +
             "; mend it, or announce it anew",
         {}});
  }
}

/// Verdicts that one announcement is about: they share code and case.
static std::string groupOf(const ExpectedFailure &expected,
                           const ResultKey &key) {
  std::string group = std::to_string(expected.where.line) + ":" +
                      std::to_string(expected.where.column) + ":" +
                      expected.where.file;
  for (const std::string *part : {&key.target, &key.pipeline})
    group.append(1, '\n').append(*part);
  // All folders of a case were announced together.
  return group + "\n" + StringRef(key.caseName).split('/').first.str();
}

void lh::reportUnexpectedPasses(RunRecord &record) {
  std::set<std::string> shown;
  const std::vector<PlannedResult> &planned = record.plan.results;
  for (size_t i = 0; i < planned.size(); ++i)
    for (const ExpectedFailure &expected : planned[i].expectedFailures)
      if (record.results[i].status != ResultStatus::Passed &&
          record.results[i].status != ResultStatus::Emitted)
        shown.insert(groupOf(expected, planned[i].key));
  for (size_t i = 0; i < planned.size(); ++i) {
    ResultRecord &verdict = record.results[i];
    for (const ExpectedFailure &expected : planned[i].expectedFailures) {
      if (shown.count(groupOf(expected, planned[i].key)))
        continue;
      verdict.status = ResultStatus::Failed;
      verdict.passedUnexpectedly = true;
      verdict.reason =
          "passed, though it is expected to fail: " + expected.reason;
      verdict.diagnostics.push_back(
          {DiagKind::PlanUnexpectedPass,
           Severity::Error,
           expected.where,
           "what is expected to fail has passed; take this expectation out",
           {}});
    }
  }
}
