// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `.mlir` payloads of a plan, opened before anything runs.
#include "cli/PayloadCheck.h"

#include "compiler/session/ModelFile.h"
#include "core/graph/ContractFlow.h"
#include "steps/NotingSink.h"

#include "llvm/Support/FileSystem.h"

#include <set>

using namespace lh;

/// What `step` imports, if it is MLIR. A folder stands for a case that has
/// errors of its own.
static const ImportAction *payloadOf(const Step &step) {
  const auto *import = std::get_if<ImportAction>(&step.action);
  bool isText = import && import->kind == IngressKind::Mlir &&
                import->path != "-" &&
                !StringRef(import->path).ends_with(".mlirbc") &&
                !llvm::sys::fs::is_directory(import->path);
  return isText ? import : nullptr;
}

PayloadForms lh::openPayloads(const Plan &plan, MlirSession &session,
                              DiagnosticSink &sink) {
  PayloadForms forms;
  for (StepId root : plan.roots) {
    const Step &step = plan.steps[root];
    const ImportAction *import = payloadOf(step);
    if (!import)
      continue;
    auto [slot, isNew] = forms.try_emplace(import->path);
    if (!isNew)
      continue;
    NotingSink noting({step.declaredAt, "in bubble '" + step.bubble + "'"},
                      sink);
    FailureOr<ModelFile> file = readModelFile(import->path, session, noting);
    if (succeeded(file))
      slot->second = std::move(file->form);
  }
  return forms;
}

LogicalResult lh::checkPayloadForms(const PayloadForms &forms, const Plan &plan,
                                    const ResolvedGraph &graph,
                                    DiagnosticSink &sink) {
  std::map<StringRef, size_t> pipelines;
  for (size_t i = 0; i < graph.pipelines.size(); ++i)
    pipelines[graph.pipelines[i].name] = i;
  std::set<std::pair<size_t, const ModuleForm *>> seen;
  std::vector<PayloadUse> uses;
  for (const PlannedResult &result : plan.results) {
    if (!result.notApplicable.empty() || !result.skipped.empty())
      continue;
    const Step &root = plan.steps[plan.pathTo(result.leaf).front()];
    const ImportAction *import = payloadOf(root);
    if (!import || !forms.at(import->path))
      continue;
    PayloadUse use{pipelines.at(result.key.pipeline), &*forms.at(import->path)};
    if (seen.emplace(use.pipeline, use.form).second)
      uses.push_back(use);
  }
  return checkPayloads(graph, uses, sink);
}
