// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which targets and paths of a graph run.
#include "core/plan/Select.h"

#include "core/plan/BubbleNames.h"
#include "core/plan/Globs.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

bool lh::runsSimulated(const TargetSpec &target, const PlanHost &host) {
  return host.deviceLabel && !host.deviceLabel(target).empty();
}

bool lh::runsNatively(const TargetSpec &target, const PlanHost &host) {
  if (!host.whyNot(target).empty() || runsSimulated(target, host))
    return false;
  return target.run.nativeOn == host.architecture ||
         (target.run.nativeOn.empty() && target.run.emulator.empty());
}

static const TargetSpec *defaultTarget(const ResolvedGraph &graph,
                                       const PlanHost &host) {
  for (const TargetSpec &target : graph.targets)
    if (runsNatively(target, host))
      return &target;
  for (const TargetSpec &target : graph.targets)
    if (host.whyNot(target).empty())
      return &target;
  return &graph.targets.front();
}

FailureOr<std::vector<const TargetSpec *>>
lh::selectTargets(const ResolvedGraph &graph, const Selection &selection,
                  const PlanHost &host, DiagnosticSink &sink) {
  // Without declared targets it is this machine, and may be asked for.
  ArrayRef<TargetSpec> targets = graph.targets;
  if (targets.empty())
    targets = ArrayRef(host.host);
  if (selection.targets.empty())
    return std::vector<const TargetSpec *>{
        graph.targets.empty() ? &host.host : defaultTarget(graph, host)};
  Globs globs(selection.targets);
  std::vector<const TargetSpec *> selected;
  std::vector<StringRef> names;
  for (const TargetSpec &target : targets) {
    names.push_back(target.name);
    if (globs.match(StringRef(target.name)))
      selected.push_back(&target);
  }
  if (failed(globs.reportUnused(DiagKind::PlanUnknownTarget, "target", names,
                                sink)))
    return failure();
  return selected;
}

/// How many bubbles of `path` come up to and with what `until` names; 0: not
/// there.
static size_t lengthUntil(const ResolvedGraph &graph, ArrayRef<size_t> path,
                          StringRef until) {
  std::vector<StringRef> names;
  for (size_t bubble : path)
    names.push_back(graph.bubbles[bubble].name);
  std::vector<size_t> named = bubblesNamed(names, until);
  return named.empty() ? 0 : named.back() + 1;
}

FailureOr<std::vector<SelectedPath>> lh::selectPaths(const ResolvedGraph &graph,
                                                     const Selection &selection,
                                                     DiagnosticSink &sink) {
  Globs globs(selection.pipelines);
  std::vector<SelectedPath> paths;
  std::vector<StringRef> names;
  for (const ResolvedPipeline &pipeline : graph.pipelines) {
    names.push_back(pipeline.name);
    if (!globs.match(StringRef(pipeline.name)))
      continue;
    SelectedPath path{&pipeline, pipeline.path, false};
    if (!selection.until.empty()) {
      path.bubbles.resize(lengthUntil(graph, pipeline.path, selection.until));
      if (path.bubbles.empty())
        continue;
      // After `execute` there is no module left to write.
      path.cut = !std::holds_alternative<ExecuteDecl>(
          graph.bubbles[path.bubbles.back()].action);
    }
    paths.push_back(std::move(path));
  }
  if (failed(globs.reportUnused(DiagKind::PlanUnknownPipeline, "pipeline",
                                names, sink)))
    return failure();
  if (!paths.empty() || selection.until.empty())
    return paths;
  std::vector<StringRef> bubbles;
  for (const ResolvedBubble &bubble : graph.bubbles)
    bubbles.push_back(bubble.name);
  return sink.error(DiagKind::PlanUnknownBubble, SourceSpan(),
                    "no selected pipeline has a bubble '" + selection.until +
                        "' to stop after" +
                        didYouMean(selection.until, namesToAskFor(bubbles)));
}
