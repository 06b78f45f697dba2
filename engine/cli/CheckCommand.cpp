// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run check`: everything that can be known without running.
#include "cli/Command.h"

#include "cli/SharedOptions.h"
#include "compiler/session/ModelFile.h"
#include "core/graph/ContractFlow.h"
#include "steps/Engine.h"
#include "steps/GraphLoader.h"
#include "steps/NotingSink.h"

#include "llvm/Support/FileSystem.h"

#include <set>

using namespace lh;

namespace {
struct CheckOptions {
  GraphOptions graph;
  bool strict = false;
};
} // namespace

static void addCheckFlags(CLI::App &command, CheckOptions &options) {
  addGraphFlags(command, options.graph);
  command.add_flag("--strict", options.strict, "warnings fail the check");
}

/// "1 case", "2 cases".
static std::string counted(size_t count, StringRef what) {
  return std::to_string(count) + " " + what.str() + (count == 1 ? "" : "s");
}

/// What `step` imports, if it is MLIR. A folder stands for a case that has
/// errors of its own.
static const ImportAction *payloadOf(const Step &step) {
  const auto *import = std::get_if<ImportAction>(&step.action);
  bool isText = import &&
                (import->kind == IngressKind::Mlir ||
                 import->kind == IngressKind::Stablehlo) &&
                import->path != "-" &&
                !StringRef(import->path).ends_with(".mlirbc") &&
                !llvm::sys::fs::is_directory(import->path);
  return isText ? import : nullptr;
}

/// By path; nothing where a payload has errors.
using PayloadForms = std::map<std::string, std::optional<ModuleForm>>;

/// Reads and verifies each MLIR text that a step of `plan` imports, once, and
/// reports what is wrong with it. Bytecode is left for the run.
static PayloadForms openPayloads(const Plan &plan, MlirSession &session,
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
    if (failed(checkModelKind(import->path, import->kind, noting)))
      continue;
    FailureOr<ModelFile> file = readModelFile(import->path, session, noting);
    if (succeeded(file))
      slot->second = std::move(file->form);
  }
  return forms;
}

/// Holds the payloads against the contracts of the pipelines that they go
/// through; `plan` must be complete.
static LogicalResult checkPayloadForms(const PayloadForms &forms,
                                       const Plan &plan,
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

static int runCheck(const CheckOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  FailureOr<std::unique_ptr<Engine>> engine =
      Engine::create({.plugins = options.graph.plugins,
                      .allowExec = options.graph.allowExec,
                      .libraryDirs = env.libraryDirs},
                     sink);
  if (failed(engine))
    return badUsage;
  FailureOr<GraphParts> parts =
      loadGraphParts(options.graph.manifest, resolveOptions(options.graph, env),
                     sources, sink);
  if (failed(parts))
    return badUsage;
  const ResolvedGraph &graph = parts->graph;
  // What is sound is looked at even where something else is not.
  PlanParts planned = planPartsFor(
      graph, parts->missing, selectionOf(options.graph), **engine, env, sink);
  const Plan &plan = planned.plan;
  LogicalResult prepared = (*engine)->runner().prepare(plan.steps, sink);
  unsigned errors = sink.errorCount();
  // Without the dialects that it is of, a payload says nothing new.
  PayloadForms payloads;
  if (!parts->missing.dialects &&
      plan.dialects.size() == graph.dialects.size())
    payloads = openPayloads(plan, (*engine)->session(), sink);
  if (!planned.isComplete || failed(prepared) || sink.errorCount() != errors ||
      failed(checkPayloadForms(payloads, plan, graph, sink)))
    return badUsage;
  if (options.strict && sink.warningCount() > 0)
    return badUsage;
  env.out << visibleLine(graph.name) << ": "
          << counted(graph.bubbles.size(), "bubble") << ", "
          << counted(graph.pipelines.size(), "pipeline") << ", "
          << counted(graph.cases.size(), "case") << "; "
          << counted(plan.steps.size(), "step") << " for "
          << counted(plan.results.size(), "result") << '\n';
  return 0;
}

CommandRun lh::makeCheckCommand(CLI::App &command) {
  return makeCommand(command, addCheckFlags, runCheck);
}
