// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of the commands that run manifests.
#include "cli/RunFlags.h"

#include "cli/CacheFlags.h"
#include "cli/ExplainFlags.h"
#include "cli/SharedFlags.h"

#include <CLI/CLI.hpp>

using namespace lh;

static void addFailureFlags(CLI::App &command, RunCommandOptions &run) {
  CLI::Option *folder =
      command
          .add_option("--failures", run.failures,
                      "where each failing step leaves a folder that repeats "
                      "it (default: failures/ in --out's folder, else "
                      "lh-failures/MANIFEST)")
          ->type_name("DIR");
  command
      .add_flag("--no-failures", run.noFailures,
                "failing steps leave no folders")
      ->excludes(folder);
}

static void addOutputFlags(CLI::App &command, RunCommandOptions &run) {
  command
      .add_option("--until", run.until,
                  "stop after this bubble and write the module (see -o)")
      ->type_name("BUBBLE");
  command
      .add_option("-o,--output", run.output,
                  "where --until writes the module; '-' is standard output")
      ->type_name("FILE");
  CLI::Option *dryRun = command.add_flag(
      "--dry-run", run.dryRun,
      "print each path's steps and the mlir-opt lines that would do the same; "
      "run nothing");
  command
      .add_option("--schedules", run.schedules,
                  "with --dry-run: write the schedules that its lines name "
                  "into this folder, with all values in place")
      ->needs(dryRun)
      ->type_name("DIR");
  command
      .add_option("--out", run.outDir,
                  "put report.json, junit.xml and outputs/ into this folder")
      ->type_name("DIR");
  command.add_option("--json", run.json, "write the results as JSON")
      ->type_name("FILE");
  command.add_option("--junit", run.junit, "write the results as JUnit XML")
      ->type_name("FILE");
  command
      .add_option("--lit", run.lit,
                  "write the results as lit does, with its result codes")
      ->type_name("FILE");
  command
      .add_option("--markdown", run.markdown,
                  "write a summary for the page of a CI system")
      ->type_name("FILE");
  command
      .add_option("--annotations", run.annotations,
                  "write what failed as GitHub's workflow commands")
      ->type_name("FILE");
  command
      .add_option("--save-outputs", run.saveOutputs,
                  "keep every output tensor as .npy in this folder")
      ->type_name("DIR");
  CLI::Option *snapshots =
      command
          .add_option("--snapshots", run.snapshots,
                      "keep the module after each step in this folder: as "
                      "text for lh-run report, as bytecode for --from")
          ->type_name("DIR");
  command
      .add_option("--from", run.from,
                  "begin after this bubble, with the module that a run with "
                  "--snapshots kept of it")
      ->needs(snapshots)
      ->type_name("BUBBLE");
  addFailureFlags(command, run);
}

CLI::App *lh::declareRun(CLI::App &app, RunCommandOptions &options) {
  CLI::App *run =
      app.add_subcommand("run", "run a manifest's pipelines and compare");
  addGraphFlags(*run, options.graph);
  addCacheFlags(*run, options.cache);
  addOutputFlags(*run, options);
  addExecutionFlags(*run, options);
  run->add_flag("--in-process", options.inProcess,
                "run everything in one process, for a debugger");
  addTimingFlags(*run, options);
  addPrintFlags(*run, options.print);
  return run;
}

CLI::App *lh::declareBench(CLI::App &app, BenchOptions &options) {
  CLI::App *bench = app.add_subcommand(
      "bench", "run, then measure what passed: pipelines and probes by turns");
  addGraphFlags(*bench, options.run.graph);
  addCacheFlags(*bench, options.run.cache);
  addExecutionFlags(*bench, options.run);
  CLI::Option *vs =
      bench
          ->add_option("--vs", options.vs,
                       "measure this pipeline too, and give ratios to it")
          ->type_name("PIPELINE");
  CLI::Option *race = bench->add_flag(
      "--race", options.race,
      "all pipelines on all targets that run here; name the fastest");
  race->excludes(vs);
  bench
      ->add_option("--choice", options.choice,
                   "write a manifest that runs only what won the race")
      ->type_name("FILE")
      ->needs(race);
  bench
      ->add_option("--time-limit", options.timeLimit,
                   "measure a case for this long at most (default: 10)")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber);
  bench
      ->add_option("--error", options.errorPercent,
                   "the standard error that is steady enough (default: 1)")
      ->type_name("PERCENT")
      ->check(CLI::NonNegativeNumber);
  bench->add_flag("--model-cycles", options.modelCycles,
                  "of emulated code: count its instructions, and model the "
                  "cycles of the target's cores");
  bench->add_option("--json", options.run.json, "write all as JSON")
      ->type_name("FILE");
  bench
      ->add_option("--lnt", options.lnt,
                   "write the measurements as a report for an LNT server")
      ->type_name("FILE");
  bench->add_option("--lnt5", options.lnt5, "the same for a server with LNT v5")
      ->type_name("FILE");
  return bench;
}

CLI::App *lh::declareTest(CLI::App &app, TestOptions &options) {
  CLI::App *test = app.add_subcommand(
      "test", "run the tests that lie beside bubbles, NAME.test.yaml");
  test->add_option("bubble", options.what,
                   "lib:area/name, a bubble file or a folder of them (default: "
                   "the whole library)");
  RunCommandOptions &run = options.run;
  addCacheFlags(*test, run.cache);
  test->add_option("--target", run.graph.target, "run for this target")
      ->type_name("NAME");
  addThreadsFlag(*test, run.graph);
  test->add_option("-j,--jobs", run.jobs,
                   "live workers at most (default: one per core)")
      ->type_name("N");
  test->add_flag(
      "--strict", run.strict,
      "bubbles without a test, warnings, and bubbles and matches that find "
      "nothing to do fail");
  test->add_flag("-v,--verbose", run.verbose, "log each step");
  test->add_option("--json", options.json, "write all results as JSON")
      ->type_name("FILE");
  test->add_option("--junit", options.junit, "write all results as JUnit XML")
      ->type_name("FILE");
  addAllowExecFlag(*test, run.graph.allowExec);
  addLibraryFlags(*test, run.graph.libraryDirs, run.graph.plugins);
  return test;
}

CLI::App *lh::declareRecord(CLI::App &app, RecordOptions &options) {
  CLI::App *record = app.add_subcommand(
      "record", "make or refresh the expected outputs of a golden case");
  addGraphFlags(*record, options.graph);
  record
      ->add_option("--against", options.against,
                   "what old and new outputs are measured against: the oracle "
                   "or a pipeline")
      ->type_name("NAME");
  record
      ->add_option("--dtype", options.dtype,
                   "record outputs of this element type alone, into the "
                   "override folder of that name")
      ->type_name("TYPE");
  record
      ->add_option("--out", options.outDir,
                   "the folder to make of a generated case")
      ->type_name("DIR");
  record->add_flag("--accept-regression", options.acceptRegression,
                   "record outputs that are worse than the old ones too");
  record->add_flag("--replace-producer", options.replaceProducer,
                   "record over outputs that another program made");
  return record;
}
