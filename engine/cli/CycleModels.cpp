// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run bench --model-cycles`: what emulated code executed, and models of it.
#include "cli/CycleModels.h"

#include "cli/Measurement.h"
#include "insight/report/Summary.h"
#include "runtime/emulated/Emulation.h"
#include "runtime/model/CodeModel.h"
#include "steps/EngineStepRunner.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace lh;

static const TargetSpec *targetOf(const ResolvedGraph &graph,
                                  const std::string &name) {
  for (const TargetSpec &target : graph.targets)
    if (target.name == name)
      return &target;
  return nullptr;
}

std::set<std::string> lh::emulatedTargets(const ResolvedGraph &graph,
                                          const HostFacts &host) {
  std::set<std::string> names;
  for (const TargetSpec &target : graph.targets)
    if (isEmulated(target, host))
      names.insert(target.name);
  return names;
}

LogicalResult lh::checkModels(const Plan &plan, const ResolvedGraph &graph,
                              const std::set<std::string> &emulated,
                              const HostFacts &host, DiagnosticSink &sink) {
  std::set<std::string> planned;
  for (const PlannedResult &result : plan.results)
    if (result.skipped.empty() && emulated.count(result.key.target))
      planned.insert(result.key.target);
  LogicalResult result = success();
  for (const std::string &name : planned) {
    const TargetSpec &target = *targetOf(graph, name);
    if (failed(checkCores(target, sink)))
      result = failure();
    if (!isCountingPluginThere(host))
      sink.warning(DiagKind::BackendToolNotFound, SourceSpan{target.file},
                   whyNotCounted(target, host));
  }
  return result;
}

static std::optional<CountedCode> countsOf(StringRef scratch, StepId leaf) {
  auto file = llvm::MemoryBuffer::getFile(countsFileOf(scratch, leaf));
  return file ? unpackCounts((*file)->getBuffer()) : std::nullopt;
}

static BenchGroup &groupFor(BenchRecord &record, const RunRecord &run,
                            size_t result) {
  const ResultKey &key = run.results[result].key;
  for (BenchGroup &group : record.groups)
    if (group.caseName == key.caseName && group.dataSet == key.dataSet)
      return group;
  BenchGroup &group = record.groups.emplace_back();
  group.caseName = key.caseName;
  group.dataSet = key.dataSet;
  group.work = workOf(run, result);
  return group;
}

static BenchRow &rowFor(BenchGroup &group, const ResultKey &key) {
  for (BenchRow &row : group.rows)
    if (resultName(row.key) == resultName(key))
      return row;
  BenchRow &row = group.rows.emplace_back();
  row.key = key;
  row.whyNot = "it ran under an emulator, whose times say nothing of the "
               "machine it stands for";
  return row;
}

static ModelledCode modelOf(const RunRecord &run, size_t result,
                            const TargetSpec &target, const HostFacts &host,
                            StringRef scratch) {
  ModelledCode code;
  code.whyNot = whyNotCounted(target, host);
  if (!code.whyNot.empty())
    return code;
  auto counted = countsOf(scratch, run.plan.results[result].leaf);
  if (counted)
    return modelCode(*counted, target);
  code.whyNot = "the emulator has counted nothing";
  return code;
}

void lh::addModels(BenchRecord &record, const RunRecord &run,
                   const ResolvedGraph &graph, const HostFacts &host,
                   StringRef scratch) {
  for (size_t i = 0; i < run.results.size(); ++i) {
    const ResultRecord &result = run.results[i];
    const TargetSpec *target = targetOf(graph, result.key.target);
    if (!target || result.status != ResultStatus::Passed ||
        !isMeasurable(run.plan, run.plan.results[i]))
      continue;
    BenchGroup &group = groupFor(record, run, i);
    rowFor(group, result.key).modelled =
        modelOf(run, i, *target, host, scratch);
  }
}
