// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of the commands for CI systems.
#include "cli/CiFlags.h"

#include "cli/SharedFlags.h"

#include <CLI/CLI.hpp>

using namespace lh;

/// A flag that may be repeated, with one value each time.
static void addRepeated(CLI::App &command, const char *flag,
                        std::vector<std::string> &values, const char *type,
                        const char *help) {
  command.add_option(flag, values, help)
      ->allow_extra_args(false)
      ->type_name(type);
}

static void addChoice(CLI::App &ci, CiOptions &options) {
  ci.add_option("--device", options.graph.device,
                "what runs code for GPUs: machines that have one, simulated "
                "ones, or machines that have one where there are any (default)")
      ->type_name("auto|sim|real")
      ->check(CLI::IsMember({"auto", "sim", "real"}));
  addRepeated(ci, "--target", options.targets, "NAME",
              "only these targets (name or glob; may be repeated)");
  addRepeated(ci, "--pipeline", options.graph.pipelines, "NAME",
              "only these pipelines (name or glob; may be repeated)");
  addRepeated(ci, "--case", options.graph.cases, "NAME",
              "only these cases (name or glob; may be repeated)");
  addRepeated(ci, "--library", options.graph.libraryDirs, "DIR",
              "another folder with schedules/ and targets/, searched first");
  addRepeated(ci, "--plugin", options.graph.plugins, "FILE",
              "an MLIR plugin that the jobs load");
  addAllowExecFlag(ci, options.graph.allowExec);
}

static void addParts(CLI::App &ci, CiOptions &options) {
  ci.add_option("--shard", options.shard,
                "only the I-th of N portions that take about as long")
      ->type_name("I/N");
  ci.add_option("--affected-by", options.affectedBy,
                "only jobs whose files changed since this git revision")
      ->type_name("REV");
  ci.add_option("--budget", options.budgetMinutes,
                "the jobs that see most edges of the graph in this time")
      ->type_name("MINUTES")
      ->check(CLI::NonNegativeNumber);
  addRepeated(ci, "--durations", options.durations, "PATH",
              "run records (run --json), or folders of them, that tell how "
              "long jobs take");
}

CLI::App *lh::declareCi(CLI::App &app, CiOptions &options) {
  CLI::App *ci = app.add_subcommand(
      "ci", "list what a CI system is to run, in the form that it reads");
  ci->add_option("manifest", options.manifests, "the manifests, YAML or JSON")
      ->required()
      ->type_name("MANIFEST");
  ci->add_option("--format", options.format, "what reads it (default: json)")
      ->check(
          CLI::IsMember({"json", "github", "gitlab", "buildkite", "ctest"}));
  ci->add_option("-o,--output", options.output,
                 "where it goes (default: standard output)")
      ->type_name("FILE");
  addRepeated(*ci, "--runner", options.runners, "NAME=LABELS",
              "a machine to ask for by name, and the labels that it has");
  ci->add_option("--program", options.program,
                 "the lh-run that jobs call (default: lh-run)")
      ->type_name("FILE");
  ci->add_option("--results", options.resultsDir,
                 "the folder that jobs put their reports into (default: "
                 "lh-results)")
      ->type_name("DIR");
  ci->add_option("--step-timeout", options.stepTimeout,
                 "end a step of a job that takes longer than this; 0: never "
                 "(default: 600)")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber);
  addChoice(*ci, options);
  addParts(*ci, options);
  return ci;
}

CLI::App *lh::declareCoverage(CLI::App &app, CoverageOptions &options) {
  CLI::App *coverage = app.add_subcommand(
      "coverage", "say what of the pipeline space runs have seen");
  coverage
      ->add_option("manifest", options.manifests, "the manifests, YAML or JSON")
      ->required()
      ->type_name("MANIFEST");
  coverage
      ->add_option("--runs", options.runs,
                   "run records (run --json), or folders of them")
      ->required()
      ->allow_extra_args(false)
      ->type_name("PATH");
  coverage->add_option("--json", options.json, "write all as JSON")
      ->type_name("FILE");
  addRepeated(*coverage, "--library", options.graph.libraryDirs, "DIR",
              "another folder with schedules/ and targets/, searched first");
  return coverage;
}
