// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of `lh-run explain`.
#include "cli/ExplainFlags.h"

#include "cli/SharedFlags.h"

#include <CLI/CLI.hpp>

using namespace lh;

void lh::addTimingFlags(CLI::App &command, RunCommandOptions &run) {
  command.add_flag("--timing", run.timing,
                   "say where the time went: bubbles, passes, and the ops of "
                   "schedules");
  command
      .add_option("--trace", run.trace,
                  "write the run for chrome://tracing or Perfetto")
      ->type_name("FILE");
}

CLI::App *lh::declareExplain(CLI::App &app, ExplainOptions &options) {
  CLI::App *explain = app.add_subcommand(
      "explain", "say what each bubble of a path did to the module");
  addGraphFlags(*explain, options.run.graph);
  addExecutionFlags(*explain, options.run);
  CLI::Option *bubble =
      explain
          ->add_option("--bubble", options.bubble,
                       "the module before this bubble, after it, and what "
                       "changed")
          ->type_name("BUBBLE");
  CLI::Option *op =
      explain
          ->add_option("--op", options.op,
                       "what became of operations of this name, bubble by "
                       "bubble")
          ->type_name("NAME");
  CLI::Option *node =
      explain
          ->add_option("--node", options.node,
                       "what became of this ONNX node (or FILE:LINE), bubble "
                       "by bubble")
          ->type_name("NODE");
  bubble->excludes(op)->excludes(node);
  op->excludes(node);
  explain->add_option("--format", options.format, "text (default) or json")
      ->check(CLI::IsMember({"text", "json"}));
  addTimingFlags(*explain, options.run);
  return explain;
}
