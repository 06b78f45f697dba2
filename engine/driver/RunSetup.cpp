// What every command that runs a plan begins with.
#include "driver/RunSetup.h"

using namespace lh;

FailureOr<RunSetup> lh::setUpRun(const GraphOptions &graph,
                                 Engine::Options options, SourceStore &sources,
                                 const DriverEnv &env, DiagnosticSink &sink) {
  RunSetup setup;
  setup.scratch = std::make_unique<ScratchFolder>();
  if (!setup.scratch->isUsable())
    return sink.error(DiagKind::SupportCannotWrite, {},
                      "cannot make a temporary folder; is TMPDIR right?");
  options.plugins = graph.plugins;
  options.allowExec = graph.allowExec;
  options.scratchFolder = setup.scratch->path();
  FailureOr<std::unique_ptr<Engine>> engine = Engine::create(options, sink);
  FailureOr<ResolvedGraph> loaded =
      loadGraph(graph.manifest, resolveOptions(graph, env), sources, sink);
  if (failed(engine) || failed(loaded))
    return failure();
  setup.engine = std::move(*engine);
  setup.graph = std::move(*loaded);
  return setup;
}

FailureOr<Plan> RunSetup::plan(const Selection &selection, const DriverEnv &env,
                               DiagnosticSink &sink) {
  FailureOr<Plan> plan = planFor(graph, selection, *engine, env, sink);
  if (failed(plan) || failed(engine->runner().prepare(plan->steps, sink)))
    return failure();
  return plan;
}
