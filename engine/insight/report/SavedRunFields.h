// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of a run's JSON report; docs/cli.md lists them.
#ifndef LH_INSIGHT_REPORT_SAVEDRUNFIELDS_H
#define LH_INSIGHT_REPORT_SAVEDRUNFIELDS_H

#include "core/bench/BenchFields.h"
#include "core/plan/RecordFields.h"
#include "insight/report/SavedRun.h"

namespace lh {

void fieldsOf(auto &v, Is<MapBubble> auto &bubble) {
  v("name", bubble.name);
  v("identity", bubble.identity);
  v("kind", bubble.kind);
  v.late("summary", bubble.summary);
  v.late("when", bubble.when);
  v.late("settings", bubble.settings);
  v.late("details", bubble.details);
}

void fieldsOf(auto &v, Is<MapPipeline> auto &pipeline) {
  v("name", pipeline.name);
  v.late("color", pipeline.color);
  v.late("path", pipeline.path);
}

void fieldsOf(auto &v, Is<MapTarget> auto &target) {
  v("name", target.name);
  v.late("sweep_points", target.runs);
  if constexpr (areRead<decltype(v)>)
    target.runs = std::max<size_t>(target.runs, 1);
}

void fieldsOf(auto &v, Is<MapSource> auto &source) {
  v("manifest", source.manifest);
  v.late("summary", source.summary);
  v.late("cases", source.cases);
  v.late("bubbles", source.bubbles);
  v.late("pipelines", source.pipelines);
  v.late("targets", source.targets);
}

void fieldsOf(auto &v, Is<Summary> auto &summary) {
  v("passed", summary.passed);
  v("emitted", summary.emitted);
  v("failed", summary.failed);
  v("skipped", summary.skipped);
  v("unverified", summary.unverified);
  v("not_applicable", summary.notApplicable);
  v("expected_failures", summary.expectedFailures);
}

void fieldsOf(auto &v, Is<SavedAction> auto &action) {
  v("kind", action.kind);
  v("what", action.what);
  v.ifAny("where", action.where);
  v.ifAny("mlir_opt", action.mlirOpt);
}

void fieldsOf(auto &v, Is<SavedPlace> auto &place) {
  fieldsOf(v, place.where);
  v.ifAny("text", place.text);
}

void fieldsOf(auto &v, Is<SavedStep> auto &step) {
  v("id", step.step);
  v("bubble", step.bubble);
  v.ifAny("parent", step.parent);
  v.ifAny("action", step.action);
  outcomeFields(v, step, step.matchedAt);
}

void fieldsOf(auto &v, Is<SavedResult> auto &result) {
  v("key", result.key);
  v("status", result.status);
  v.late("code", result.code);
  v.late("reason", result.reason);
  v.ifAny("diagnostics", result.diagnostics);
  v.ifAny("seed", result.seed);
  v.ifAny("again", result.again);
  v.ifAny("bisect", result.bisect);
  v.derived("seconds", result.seconds);
  v.late("steps", result.steps);
  v.late("run_seconds", result.runSeconds);
  v.late("arithmetic", result.arithmetic);
  v.late("flops", result.kernels);
  v.late("classified", result.classifiedRightly);
  v.late("outputs", result.comparisons);
}

void fieldsOf(auto &v, Is<ProfiledNode> auto &node) {
  v("node", node.node);
  v("kind", node.kind);
  v("strategy", node.strategy);
  v("with", node.with);
  v("nests", node.nests);
  v("seconds", node.seconds);
  v("operations", node.operations);
  v("bytes", node.bytes);
  v.ifAny("of_peak", node.ofPeak);
  v.ifAny("of_bandwidth", node.ofBandwidth);
  v.ifAny("of_roofline", node.ofRoofline);
  v.ifAny("other_seconds", node.otherSeconds);
}

void fieldsOf(auto &v, Is<ProfiledResult> auto &result) {
  v("result", result.key);
  v("seconds", result.seconds);
  v("seconds_with_clocks", result.clockedSeconds);
  v("seconds_of_no_node", result.unknownSeconds);
  v("nodes", result.nodes);
}

void fieldsOf(auto &v, Is<SavedRun> auto &run) {
  v.derived("schema", 1);
  v("manifest", run.manifest);
  v("file", run.file);
  v.late("versions", run.versions);
  v.late("started_at", run.startedAt);
  v.ifAny("machine", run.machine);
  v.ifAny("cpu", run.cpu);
  v.late("interrupted", run.interrupted);
  v.ifAny("exit_code", run.exitCode);
  v.late("seconds", run.seconds);
  v.derived("summary", run.summary);
  v("results", run.results);
  v.late("actions", run.actions);
  v.late("places", run.places);
  v("steps", run.steps);
  v.ifAny("space", run.space);
  v.ifAny("bench", run.bench);
  v.late("profiles", run.profiles);
}

} // namespace lh

#endif // LH_INSIGHT_REPORT_SAVEDRUNFIELDS_H
