// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans that begin in the middle of a path, from a module that was kept.
#include "core/plan/Resume.h"

#include "core/plan/BubbleNames.h"
#include "core/plan/SubPlan.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace lh;

namespace {

/// Copies what is still needed of a plan, and joins it to what was kept.
class Resumer {
public:
  Resumer(const Plan &old, StringRef bubble, SnapshotFinder find)
      : old(old), bubble(bubble), find(find) {
    plan.manifest = old.manifest;
    plan.file = old.file;
  }

  std::optional<StepId> lastOfBubble(StepId leaf) const;
  LogicalResult addResults();
  LogicalResult addComparisons();

  Plan plan;

private:
  FailureOr<StepId> addStep(StepId step);
  FailureOr<StepId> addResumed(StepId leaf);
  FailureOr<StepId> addSnapshot(StepId step);

  const Plan &old;
  StringRef bubble;
  SnapshotFinder find;
  std::map<StepId, StepId> copied; ///< by step of the old plan
  std::map<StepId, FailureOr<StepId>> snapshots;
  std::map<size_t, size_t> results;
};

} // namespace

/// The last step of the bubble on the way to `leaf` that leaves a module.
std::optional<StepId> Resumer::lastOfBubble(StepId leaf) const {
  std::vector<StepId> path = old.pathTo(leaf);
  std::vector<StringRef> names;
  for (StepId id : path)
    names.push_back(old.steps[id].bubble);
  std::vector<size_t> named = bubblesNamed(names, bubble);
  if (named.empty())
    return std::nullopt;
  return path[named.back()];
}

/// In place of a step and all before it: the import of what it left.
FailureOr<StepId> Resumer::addSnapshot(StepId id) {
  auto known = snapshots.find(id);
  if (known != snapshots.end())
    return known->second;
  FailureOr<std::string> file = find(id);
  FailureOr<StepId> added = failure();
  if (succeeded(file)) {
    Step import;
    import.bubble = old.steps[id].bubble;
    import.declaredAt = old.steps[id].declaredAt;
    import.action = ImportAction{IngressKind::Mlir, *file, {}, {}};
    added = appendStep(plan, std::nullopt, std::move(import));
  }
  snapshots.emplace(id, added);
  return added;
}

/// A step with all before it, from the beginning.
FailureOr<StepId> Resumer::addStep(StepId id) {
  auto known = copied.find(id);
  if (known != copied.end())
    return known->second;
  const Step &step = old.steps[id];
  std::optional<StepId> parent;
  if (step.parent) {
    FailureOr<StepId> before = addStep(*step.parent);
    if (failed(before))
      return failure();
    parent = *before;
  }
  return copied[id] = appendStep(plan, parent, step);
}

/// A path that goes on where its bubble ended.
FailureOr<StepId> Resumer::addResumed(StepId leaf) {
  std::optional<StepId> last = lastOfBubble(leaf);
  if (!last)
    return addStep(leaf);
  FailureOr<StepId> before = addSnapshot(*last);
  if (failed(before))
    return failure();
  copied[*last] = *before;
  return addStep(leaf);
}

LogicalResult Resumer::addResults() {
  LogicalResult done = success();
  for (size_t i = 0; i < old.results.size(); ++i) {
    PlannedResult result = old.results[i];
    bool runs = result.notApplicable.empty() && result.skipped.empty();
    if (runs && !lastOfBubble(result.leaf))
      continue;
    if (runs) {
      FailureOr<StepId> leaf = addResumed(result.leaf);
      if (failed(leaf)) {
        done = failure();
        continue;
      }
      result.leaf = *leaf;
    }
    results[i] = plan.results.size();
    plan.results.push_back(std::move(result));
  }
  return done;
}

LogicalResult Resumer::addComparisons() {
  for (PlannedComparison comparison : old.comparisons) {
    auto result = results.find(comparison.result);
    if (result == results.end())
      continue;
    comparison.result = result->second;
    for (std::optional<StepId> *leaf :
         {&comparison.referenceLeaf, &comparison.plainLeaf}) {
      if (!*leaf)
        continue;
      FailureOr<StepId> added = addResumed(**leaf);
      if (failed(added))
        return failure();
      *leaf = *added;
    }
    plan.comparisons.push_back(std::move(comparison));
  }
  return success();
}

FailureOr<Plan> lh::resumeAfter(const Plan &plan, StringRef bubble,
                                SnapshotFinder find, DiagnosticSink &sink) {
  Resumer resumer(plan, bubble, find);
  std::vector<StringRef> bubbles;
  for (const Step &step : plan.steps)
    bubbles.push_back(step.bubble);
  if (llvm::none_of(plan.results, [&](const PlannedResult &result) {
        return result.notApplicable.empty() && result.skipped.empty() &&
               resumer.lastOfBubble(result.leaf);
      }))
    return sink.error(DiagKind::PlanUnknownBubble, SourceSpan(),
                      "no selected pipeline that runs has a bubble '" + bubble +
                          "' to begin after" +
                          didYouMean(bubble, namesToAskFor(bubbles)));
  if (failed(resumer.addResults()) || failed(resumer.addComparisons()))
    return failure();
  return std::move(resumer.plan);
}
