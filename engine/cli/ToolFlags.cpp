// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of the commands that need no manifest.
#include "cli/ToolFlags.h"

#include "cli/SharedFlags.h"

#include <CLI/CLI.hpp>

using namespace lh;

CLI::App *lh::declareApply(CLI::App &app, ApplyOptions &options) {
  CLI::App *apply = app.add_subcommand(
      "apply", "apply one bubble, schedule or pass string to a .mlir file");
  apply
      ->add_option("what", options.what,
                   "lib:area/name, a bubble file (.yaml), a schedule (.mlir) "
                   "or a pass pipeline")
      ->required();
  apply->add_option("input", options.input, "the module; '-' is stdin")
      ->required();
  apply->add_option("-o,--output", options.output,
                    "where the module goes (default: standard output)");
  apply->add_option("--entry", options.entry,
                    "the named sequence to run, for a schedule file");
  addAssignments(*apply, "--with", options.with,
                 "a parameter of the bubble or schedule (may be repeated)");
  apply
      ->add_option("--target", options.target,
                   "the target whose facts parameters refer to")
      ->type_name("NAME");
  addLibraryFlags(*apply, options.libraryDirs, options.plugins);
  addPrintFlags(*apply, options.print);
  return apply;
}

CLI::App *lh::declareSchema(CLI::App &app, SchemaOptions &options) {
  CLI::App *schema =
      app.add_subcommand("schema", "print the JSON Schema of a file form");
  schema->add_option("which", options.which, "manifest, bubble or target")
      ->check(CLI::IsMember({"manifest", "bubble", "target"}));
  return schema;
}

CLI::App *lh::declareOps(CLI::App &app, OpsOptions &options) {
  CLI::App *ops =
      app.add_subcommand("ops", "list the ONNX operators that can be imported");
  ops->add_option("name", options.name, "only those whose name matches")
      ->type_name("GLOB");
  return ops;
}

CLI::App *lh::declareDoctor(CLI::App &app, DoctorOptions &) {
  return app.add_subcommand("doctor", "show what this machine has and lacks");
}

CLI::App *lh::declareCompare(CLI::App &app, CompareOptions &options) {
  CLI::App *compare = app.add_subcommand(
      "compare", "compare two tensors (.npy or .pb), a manifest's pipelines, "
                 "or a model's nodes with the oracle");
  compare
      ->add_option("actual", options.actual,
                   "a tensor; or a manifest, with --pipelines or --per-node")
      ->required();
  compare->add_option("expected", options.expected, "the other tensor");
  compare
      ->add_option("--pipelines", options.pipelines,
                   "of a manifest: compare A's results with B's")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("A,B");
  compare->add_flag("--per-node", options.perNode,
                    "of a manifest: run each node of the ONNX model by itself, "
                    "on what the oracle computes, and compare");
  compare
      ->add_option("--bound", options.bounds,
                   "a tensor of each element's allowed error, in place of "
                   "--atol and --rtol")
      ->type_name("FILE");
  compare->add_option("--json", options.json, "write the statistics as JSON")
      ->type_name("FILE");
  RunCommandOptions &run = options.run;
  addSelectionFlags(*compare, run.graph);
  addThreadsFlag(*compare, run.graph);
  addDeviceFlag(*compare, run.graph);
  compare->add_option("-j,--jobs", run.jobs, "live workers at most")
      ->type_name("N");
  compare
      ->add_option("--step-timeout", run.stepTimeout,
                   "end a step that takes longer than this")
      ->type_name("SECONDS");
  addToleranceFlags(*compare, options.atol, options.rtol, options.ulp);
  return compare;
}

CLI::App *lh::declareReport(CLI::App &app, ReportOptions &options) {
  CLI::App *report =
      app.add_subcommand("report", "turn records of runs into a page to read");
  report
      ->add_option("record", options.records,
                   "what run --json or bench --json wrote")
      ->required()
      ->type_name("RUN.json");
  report->add_option("--format", options.format, "html, as yet the only one")
      ->check(CLI::IsMember({"html"}));
  report
      ->add_option("-o,--output", options.output,
                   "where it goes; '-' is standard output (default: "
                   "report.html)")
      ->type_name("FILE");
  return report;
}

CLI::App *lh::declareCompletion(CLI::App &app, CompletionOptions &options) {
  CLI::App *completion =
      app.add_subcommand("completion", "print a shell completion script");
  completion->add_option("shell", options.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return completion;
}
