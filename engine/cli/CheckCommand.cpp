// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run check`: everything that can be known without running.
#include "cli/Command.h"

#include "cli/ExitCodes.h"
#include "cli/PayloadCheck.h"
#include "cli/SharedOptions.h"
#include "steps/Engine.h"
#include "steps/GraphLoader.h"

#include <CLI/CLI.hpp>

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

static int runCheck(const CheckOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  FailureOr<std::unique_ptr<Engine>> engine = Engine::create(
      {.plugins = options.graph.plugins, .allowExec = options.graph.allowExec},
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
  PayloadForms payloads = openPayloads(plan, (*engine)->session(), sink);
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
