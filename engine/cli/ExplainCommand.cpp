// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run explain`: what each bubble of a path did to the module.
#include "cli/Command.h"

#include "cli/Hints.h"
#include "cli/LogObserver.h"
#include "cli/SharedOptions.h"
#include "core/support/FileSystem.h"
#include "insight/report/Explanation.h"
#include "steps/RunSetup.h"

using namespace lh;

namespace {
struct ExplainOptions {
  ManifestRunOptions run;
  TimingOptions timing;
  std::string bubble, op, node; ///< one at most; none: a summary of each bubble
  std::string format = "text";
};
} // namespace

static void addExplainFlags(CLI::App &command, ExplainOptions &options) {
  addGraphFlags(command, options.run.graph);
  CLI::Option *bubble =
      addValue(command, "--bubble", "BUBBLE", options.bubble,
               "show the module before this bubble, after it, and what "
               "changed; large constants are left out");
  CLI::Option *op =
      addValue(command, "--op", "NAME", options.op,
               "say what became of operations of this name, bubble by bubble, "
               "by the places that they come from");
  CLI::Option *node = addValue(command, "--node", "NODE", options.node,
                               "say what became of this ONNX node, or in code "
                               "without names of FILE:LINE, bubble by bubble");
  bubble->excludes(op)->excludes(node);
  op->excludes(node);
  addValue(command, "--format", "FORMAT", options.format,
           "'text' (default) or 'json'")
      ->check(CLI::IsMember({"text", "json"}));
  addTimingFlags(command, options.timing);
  addExecutionFlags(command, options.run);
}

static int runExplain(const ExplainOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  Engine::Options engineOptions;
  ModuleRunnerOptions &modules = engineOptions.runner.module;
  modules.timing = options.timing.print || !options.timing.trace.empty();
  ScratchFolder kept;
  modules.inspect.keepsText = !options.bubble.empty();
  modules.inspect.keepsOrigins = !options.op.empty() || !options.node.empty();
  if (modules.inspect.keepsText || modules.inspect.keepsOrigins)
    modules.inspect.folder = kept.path();
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
  RunProgress progress(options.run.verbose, env);
  progress.setJudgesNothing();
  RunRecord record = setup->run(*plan, options.run, progress.observer());
  addHints(record, setup->graph, resolveOptions(options.run.graph, env), env);
  ExplainRequest request{options.bubble, options.op, options.node,
                         options.format == "json", kept.path()};
  if (failed(explain(record, request, env.out, sink)))
    return 1;
  if (options.timing.print && options.format == "text")
    printTimes(record, env.out);
  if (!options.timing.trace.empty() &&
      failed(writeFileAtomically(options.timing.trace, traceJson(record), {},
                                 sink)))
    return 1;
  for (const StepOutcome &outcome : record.outcomes)
    if (outcome.status != StepStatus::Passed &&
        outcome.status != StepStatus::NotRun &&
        outcome.status != StepStatus::NotApplicable)
      return 1;
  return 0;
}

CommandRun lh::makeExplainCommand(CLI::App &command) {
  return makeCommand(command, addExplainFlags, runExplain);
}
