// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every command that runs a plan begins with.
#include "steps/RunSetup.h"

#include "core/exec/Executor.h"
#include "core/manifest/Words.h"
#include "steps/ExternalPrograms.h"
#include "steps/RunCache.h"

using namespace lh;

FailureOr<RunSetup> lh::setUpEngine(const GraphOptions &graph,
                                    Engine::Options options,
                                    DiagnosticSink &sink) {
  RunSetup setup;
  setup.scratch = std::make_unique<ScratchFolder>();
  if (!setup.scratch->isUsable())
    return sink.error(DiagKind::SupportCannotWrite, {},
                      "cannot make a temporary folder; is TMPDIR right?");
  options.plugins = graph.plugins;
  options.allowExec = graph.allowExec;
  options.runner.scratchFolder = setup.scratch->path();
  options.devices =
      parseDeviceChoice(graph.device).value_or(DeviceChoice::Auto);
  FailureOr<std::unique_ptr<Engine>> engine = Engine::create(options, sink);
  if (failed(engine))
    return failure();
  setup.engine = std::move(*engine);
  return setup;
}

FailureOr<RunSetup> lh::setUpRun(const GraphOptions &graph,
                                 Engine::Options options, SourceStore &sources,
                                 const DriverEnv &env, DiagnosticSink &sink) {
  options.libraryDirs = env.libraryDirs;
  FailureOr<RunSetup> setup = setUpEngine(graph, std::move(options), sink);
  FailureOr<GraphParts> loaded =
      loadGraphParts(graph.manifest, resolveOptions(graph, env), sources, sink);
  if (failed(setup) || failed(loaded))
    return failure();
  if (loaded->missing.any) {
    PlanParts sound =
        planPartsFor(loaded->graph, loaded->missing, selectionOf(graph),
                     *setup->engine, env, sink);
    (void)setup->engine->runner().prepare(sound.plan.steps, sink);
    return failure();
  }
  setup->graph = std::move(loaded->graph);
  return setup;
}

FailureOr<Plan> RunSetup::plan(const Selection &selection, const DriverEnv &env,
                               DiagnosticSink &sink) {
  PlanParts parts = planPartsFor(graph, {}, selection, *engine, env, sink);
  // Before anything is prepared, which may start what a file names.
  if (!engine->mayNamePrograms() &&
      failed(refusePrograms(parts.plan, engine->host(), env.libraryDirs, sink)))
    return failure();
  LogicalResult prepared = engine->runner().prepare(
      parts.isComplete ? engine->useCache(parts.plan, env) : parts.plan.steps,
      sink);
  if (!parts.isComplete || failed(prepared))
    return failure();
  return std::move(parts.plan);
}

void lh::restrictToOneCase(const ResolvedGraph &graph, Selection &selection) {
  if (selection.cases.empty() && !graph.cases.empty())
    selection.cases = {graph.cases.front().name.value};
}

Selection lh::selectionFor(const ManifestRunOptions &options) {
  Selection selection = selectionOf(options.graph);
  selection.inputs = options.inputs;
  selection.oracle = parseWord<OracleMode>(options.oracle);
  selection.seed = options.seed;
  selection.tolerance = options.tolerance;
  return selection;
}

/// Workers whose code has several threads share the cores between them.
static unsigned jobsFor(const ManifestRunOptions &options,
                        const HostFacts &host) {
  if (options.jobs > 0 || options.graph.threads < 2)
    return options.jobs;
  return std::max(1U, host.cores / options.graph.threads);
}

RunRecord RunSetup::run(const Plan &plan, const ManifestRunOptions &options,
                        RunObserver &observer) {
  engine->session().loadAll();
  ExecOptions exec;
  exec.jobs = jobsFor(options, engine->host());
  exec.stepTimeoutSeconds = options.stepTimeout;
  exec.memoryLimitBytes = options.memoryLimitMiB << 20;
  exec.keepGoing = options.keepGoing;
  exec.inProcess = options.inProcess;
  exec.scratchFolder = scratch->path();
  RunCache *cache = engine->cacheFor(plan);
  if (!cache)
    return execute(plan, engine->runner(), exec, observer);
  RunRecord record = execute(plan, cache->runner(), exec, observer);
  cache->finish();
  return record;
}

RunRecord RunSetup::runToEnd(const Plan &plan, ManifestRunOptions options) {
  options.keepGoing = true;
  RunObserver nobody;
  return run(plan, options, nobody);
}
