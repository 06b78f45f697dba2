// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run explain`: what each bubble of a path did to the module.
#include "cli/Commands.h"

#include "cli/ExitCodes.h"
#include "cli/Hints.h"
#include "cli/RunSetup.h"
#include "core/support/FileSystem.h"
#include "insight/report/Explanation.h"

using namespace lh;

/// One case says what the bubbles do, unless others are asked for.
static void restrictToOneCase(const ResolvedGraph &graph,
                              Selection &selection) {
  if (selection.cases.empty() && !graph.cases.empty())
    selection.cases = {graph.cases.front().name.value};
}

int lh::explainCommand(const ExplainOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  Engine::Options engineOptions;
  engineOptions.timing = options.run.timing || !options.run.trace.empty();
  ScratchFolder kept;
  engineOptions.inspect.keepsText = !options.bubble.empty();
  engineOptions.inspect.keepsOrigins =
      !options.op.empty() || !options.node.empty();
  if (engineOptions.inspect.keepsText || engineOptions.inspect.keepsOrigins)
    engineOptions.inspect.folder = kept.path();
  FailureOr<RunSetup> setup =
      setUpRun(options.run.graph, engineOptions, sources, env, sink);
  if (failed(setup))
    return badUsage;
  // What is compared with isn't what is to be explained.
  setup->graph.verify.reset();
  Selection selection = selectionFor(options.run);
  restrictToOneCase(setup->graph, selection);
  FailureOr<Plan> plan = setup->plan(selection, env, sink);
  if (failed(plan))
    return badUsage;
  setup->engine->session().loadAll();
  RunRecord record =
      runPlan(*plan, *setup->engine, options.run, setup->scratch->path(), env);
  addHints(record, setup->graph, resolveOptions(options.run.graph, env), env);
  ExplainRequest request{options.bubble, options.op, options.node,
                         options.format == "json", kept.path()};
  if (failed(explain(record, request, env.out, sink)))
    return 1;
  if (options.run.timing && options.format == "text")
    printTimes(record, env.out);
  if (!options.run.trace.empty() &&
      failed(
          writeFileAtomically(options.run.trace, traceJson(record), {}, sink)))
    return 1;
  for (const StepOutcome &outcome : record.outcomes)
    if (outcome.status != StepStatus::Passed &&
        outcome.status != StepStatus::NotRun &&
        outcome.status != StepStatus::NotApplicable)
      return 1;
  return 0;
}
