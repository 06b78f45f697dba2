// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wires the first half of the arc: text to ResolvedGraph to Plan.
#include "steps/GraphLoader.h"

#include "core/graph/Parameters.h"
#include "core/graph/TargetFinder.h"
#include "core/support/FileSystem.h"
#include "core/support/Needs.h"
#include "core/support/Version.h"
#include "runtime/external/ToolProcess.h"
#include "steps/Engine.h"

#include "llvm/Support/Path.h"

using namespace lh;

/// A target that is named by its file.
static bool isTargetFile(StringRef target) {
  return target.contains('/') || target.ends_with(".yaml") ||
         target.ends_with(".yml") || target.ends_with(".json");
}

ResolveOptions lh::resolveOptions(const GraphOptions &options,
                                  const DriverEnv &env) {
  ResolveOptions result;
  result.set = options.set;
  result.tuned = options.tuned;
  result.threads = options.threads;
  result.models = options.models;
  result.modelManifest = options.modelManifest;
  result.workingDirectory = workingDirectory();
  if (isTargetFile(options.target))
    result.target = absolutePath(options.target, result.workingDirectory);
  for (const std::string &folder : options.libraryDirs)
    result.libraryDirs.push_back(absolutePath(folder, result.workingDirectory));
  result.libraryDirs.insert(result.libraryDirs.end(), env.libraryDirs.begin(),
                            env.libraryDirs.end());
  return result;
}

FailureOr<TargetSpec> lh::namedTarget(StringRef name,
                                      const ResolveOptions &options,
                                      SourceStore &sources,
                                      DiagnosticSink &sink) {
  TargetSearch search{workingDirectory(), {}, options.libraryDirs};
  return readTarget({name.empty() ? "host" : name.str(), commandLinePlace()},
                    search, sources, sink);
}

void lh::setRepeat(ResolvedGraph &graph, unsigned repeat) {
  for (ResolvedBubble &bubble : graph.bubbles)
    if (auto *execute = std::get_if<ExecuteDecl>(&bubble.action))
      execute->repeat = repeat;
}

void lh::setLibrary(ResolvedGraph &graph, const LibraryOptions &library) {
  StringRef name = llvm::sys::path::filename(library.path);
  for (ResolvedBubble &bubble : graph.bubbles)
    if (auto *execute = std::get_if<ExecuteDecl>(&bubble.action);
        execute && !execute->tool) {
      execute->library =
          literalExpression(Value(name.str()), commandLinePlace());
      execute->weightsBeside = library.weightsBeside;
    }
}

Selection lh::selectionOf(const GraphOptions &options) {
  Selection selection;
  if (!options.target.empty())
    selection.targets = {isTargetFile(options.target)
                             ? llvm::sys::path::stem(options.target).str()
                             : options.target};
  selection.pipelines = options.pipelines;
  selection.cases = options.cases;
  return selection;
}

/// The machine itself as a target, for the oracle.
static TargetSpec hostTarget(const HostFacts &host) {
  TargetSpec target;
  target.name = "host";
  target.backend = "cpu";
  target.triple = host.triple;
  target.cpu = "host";
  return target;
}

PlanHost lh::planHostOf(const Engine &engine, const DriverEnv &env) {
  return {engine.host().arch,
          hostTarget(engine.host()),
          [&engine](const TargetSpec &target) {
            return engine.backends().unavailableReason(target);
          },
          env.files,
          {env.today, versions()},
          [](const KernelSpec &kernel) { return missingNeed(kernel.needs); },
          [&engine](const TargetSpec &target) {
            return engine.backends().deviceLabel(target);
          },
          engine.startsPrograms() ? askTool : nullptr,
          engine.programReader(),
          engine.dialectDeclarer()};
}

/// What was measured on another CPU may be worth nothing on this one.
static void remarkOnOtherCpus(const ResolvedGraph &graph, const HostFacts &host,
                              DiagnosticSink &sink) {
  for (const TunedSpec &spec : graph.tuned)
    for (const TunedEntry &entry : spec.entries)
      if (!entry.seen.cpu.empty() && entry.seen.cpu != host.cpu) {
        sink.emit({DiagKind::GraphTunedForeign,
                   Severity::Remark,
                   entry.where,
                   "this choice was measured on '" + entry.seen.cpu +
                       "', and here is '" + host.cpu +
                       "'; 'lh-run tune --check' measures it again",
                   {}});
        break;
      }
}

PlanParts lh::planPartsFor(const ResolvedGraph &graph,
                           const MissingParts &missing,
                           const Selection &selection, const Engine &engine,
                           const DriverEnv &env, DiagnosticSink &sink) {
  remarkOnOtherCpus(graph, engine.host(), sink);
  return planParts(graph, missing, selection, planHostOf(engine, env), sink);
}

FailureOr<Plan> lh::planFor(const ResolvedGraph &graph,
                            const Selection &selection, const Engine &engine,
                            const DriverEnv &env, DiagnosticSink &sink) {
  return makePlan(graph, selection, planHostOf(engine, env), sink);
}
