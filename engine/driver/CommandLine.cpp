// CLI11's home: declares every command and flag once.
#include "driver/CommandLine.h"

#include "driver/BisectFlags.h"
#include "driver/CacheFlags.h"
#include "driver/CiFlags.h"
#include "driver/ContractFlags.h"
#include "driver/ExplainFlags.h"
#include "driver/ReduceFlags.h"
#include "driver/Version.h"

#include <CLI/CLI.hpp>

#include <algorithm>

using namespace lh;

namespace {

/// Every option struct that a subcommand may fill.
struct AllOptions {
  RunCommandOptions run;
  BenchOptions bench;
  TestOptions test;
  CheckOptions check;
  RecordOptions record;
  ListOptions list;
  DrawOptions draw;
  ApplyOptions apply;
  SchemaOptions schema;
  OpsOptions ops;
  DoctorOptions doctor;
  CompareOptions compare;
  ReportOptions report;
  CompletionOptions completion;
  CiOptions ci;
  CoverageOptions coverage;
  BisectOptions bisect;
  ReduceOptions reduce;
  ContractOptions contract;
  InferOptions infer;
  PlanOptions plan;
  ExplainOptions explain;
  std::vector<std::string> assignments; ///< NAME=VALUE, before splitting
};

constexpr const char *commandNames[] = {
    "run",      "bench", "test",       "record",   "check",  "list",
    "graph",    "apply", "schema",     "doctor",   "ops",    "compare",
    "report",   "ci",    "completion", "coverage", "bisect", "reduce",
    "contract", "infer", "plan",       "explain"};

} // namespace

static void addLibraryFlags(CLI::App &command, std::vector<std::string> &dirs,
                            std::vector<std::string> &plugins) {
  command
      .add_option("--library", dirs,
                  "another folder with schedules/ and targets/, searched first")
      ->allow_extra_args(false)
      ->type_name("DIR");
  command
      .add_option("--plugin", plugins,
                  "load an MLIR dialect or pass plugin (a shared library)")
      ->allow_extra_args(false)
      ->type_name("FILE");
}

static void addSelectionFlags(CLI::App &command, GraphOptions &graph,
                              std::vector<std::string> &assignments) {
  command
      .add_option("--target", graph.target,
                  "run for this target (default: the first that runs here)")
      ->type_name("NAME");
  command
      .add_option("--pipeline", graph.pipelines,
                  "only these pipelines (name or glob; may be repeated)")
      ->allow_extra_args(false)
      ->type_name("NAME");
  command
      .add_option("--case", graph.cases,
                  "only these cases (name or glob; may be repeated)")
      ->allow_extra_args(false)
      ->type_name("NAME");
  command
      .add_option("--set", assignments,
                  "give a manifest parameter another value (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  command.add_flag("--allow-exec", graph.allowExec,
                   "let 'command:' bubbles start external tools");
  addLibraryFlags(command, graph.libraryDirs, graph.plugins);
}

static void addGraphFlags(CLI::App &command, GraphOptions &graph,
                          std::vector<std::string> &assignments) {
  command.add_option("manifest", graph.manifest, "the manifest, YAML or JSON")
      ->required()
      ->type_name("MANIFEST");
  addSelectionFlags(command, graph, assignments);
}

static void addPrintFlags(CLI::App &command, MlirPrintFlags &print) {
  command.add_flag("--mlir-print-ir-before-all", print.beforeAll,
                   "print the IR before each pass");
  command.add_flag("--mlir-print-ir-after-all", print.afterAll,
                   "print the IR after each pass");
  command.add_flag("--mlir-print-ir-after-change", print.afterChange,
                   "print the IR after each pass that changed it");
  command.add_flag("--mlir-print-ir-after-failure", print.afterFailure,
                   "print the IR after a pass that failed");
  command
      .add_option("--mlir-print-ir-tree-dir", print.treeDir,
                  "write printed IR as a tree of files under this folder")
      ->type_name("DIR");
}

static void addToleranceFlags(CLI::App &command, std::optional<double> &atol,
                              std::optional<double> &rtol,
                              std::optional<int64_t> &ulp) {
  command.add_option("--atol", atol, "largest absolute error allowed");
  command.add_option("--rtol", rtol,
                     "largest error allowed, relative to the expected value");
  command.add_option("--ulp", ulp,
                     "largest distance allowed, in representable values");
}

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
  command.add_flag("--dry-run", run.dryRun,
                   "print each path's steps and the mlir-opt lines that would "
                   "do the same; run nothing");
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

static void addThreadsFlag(CLI::App &command, GraphOptions &graph) {
  command
      .add_option("--threads", graph.threads,
                  "threads that generated code uses (default: what the target "
                  "says, else 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 256));
}

static void addDeviceFlag(CLI::App &command, GraphOptions &graph) {
  command
      .add_option("--device", graph.device,
                  "which GPUs run code for GPUs: real ones, simulated ones, or "
                  "real ones where there are any (default)")
      ->type_name("auto|sim|real")
      ->check(CLI::IsMember({"auto", "sim", "real"}));
}

static void addExecutionFlags(CLI::App &command, RunCommandOptions &run) {
  addThreadsFlag(command, run.graph);
  addDeviceFlag(command, run.graph);
  command
      .add_option("-j,--jobs", run.jobs,
                  "live workers at most (default: one per core, or per "
                  "--threads cores)")
      ->type_name("N");
  command.add_flag("--keep-going", run.keepGoing,
                   "run the other paths after a failure");
  command.add_flag("--explain-tolerance", run.explainTolerance,
                   "say how each output was judged, and which line decided");
  command.add_flag("--strict", run.strict,
                   "unverified results, warnings, and bubbles and matches that "
                   "find nothing to do fail the run");
  command
      .add_option("--input", run.inputs,
                  "feed this instead of the case's input: x=@file.npy or "
                  "x=1x8x8xf32=normal")
      ->allow_extra_args(false)
      ->type_name("NAME=...");
  command
      .add_option("--seed", run.seed,
                  "draw generated inputs with this seed instead of the case's")
      ->type_name("N");
  command
      .add_option("--step-timeout", run.stepTimeout,
                  "end a step that takes longer than this")
      ->type_name("SECONDS");
  command
      .add_option("--memory-limit", run.memoryLimitMiB,
                  "memory that one worker may allocate")
      ->type_name("MIB");
  command.add_flag("-v,--verbose", run.verbose, "log each step");
  addToleranceFlags(command, run.atol, run.rtol, run.ulp);
  command
      .add_option("--oracle", run.oracle,
                  "how results are judged against the oracle")
      ->check(CLI::IsMember(
          {"auto", "exact", "bound", "ratio", "tolerance", "proof"}));
}

static void declareRun(CLI::App &app, AllOptions &all) {
  CLI::App *run =
      app.add_subcommand("run", "run a manifest's pipelines and compare");
  addGraphFlags(*run, all.run.graph, all.assignments);
  addCacheFlags(*run, all.run.cache);
  addOutputFlags(*run, all.run);
  addExecutionFlags(*run, all.run);
  run->add_flag("--in-process", all.run.inProcess,
                "run everything in one process, for a debugger");
  addTimingFlags(*run, all.run);
  addPrintFlags(*run, all.run.print);
}

static void declareBench(CLI::App &app, AllOptions &all) {
  CLI::App *bench = app.add_subcommand(
      "bench", "run, then measure what passed: pipelines and probes by turns");
  BenchOptions &options = all.bench;
  addGraphFlags(*bench, options.run.graph, all.assignments);
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
}

static void declareTest(CLI::App &app, AllOptions &all) {
  CLI::App *test = app.add_subcommand(
      "test", "run the tests that lie beside bubbles, NAME.test.yaml");
  test->add_option("bubble", all.test.what,
                   "lib:area/name, a bubble file or a folder of them (default: "
                   "the whole library)");
  RunCommandOptions &run = all.test.run;
  addCacheFlags(*test, run.cache);
  test->add_option("--target", run.graph.target, "run for this target")
      ->type_name("NAME");
  addThreadsFlag(*test, run.graph);
  test->add_option("-j,--jobs", run.jobs,
                   "live workers at most (default: one per core)")
      ->type_name("N");
  test->add_flag(
      "--strict", run.strict,
      "bubbles without a test, unverified results, warnings, and bubbles and "
      "matches that find nothing to do fail");
  test->add_flag("-v,--verbose", run.verbose, "log each step");
  test->add_option("--json", all.test.json, "write all results as JSON")
      ->type_name("FILE");
  test->add_option("--junit", all.test.junit, "write all results as JUnit XML")
      ->type_name("FILE");
  addLibraryFlags(*test, run.graph.libraryDirs, run.graph.plugins);
}

static void declareRecord(CLI::App &app, AllOptions &all) {
  CLI::App *record = app.add_subcommand(
      "record", "make or refresh the expected outputs of a golden case");
  addGraphFlags(*record, all.record.graph, all.assignments);
  record
      ->add_option("--against", all.record.against,
                   "what old and new outputs are measured against: the oracle "
                   "or a pipeline")
      ->type_name("NAME");
  record
      ->add_option("--dtype", all.record.dtype,
                   "record outputs of this element type alone, into the "
                   "override folder of that name")
      ->type_name("TYPE");
  record
      ->add_option("--out", all.record.outDir,
                   "the folder to make of a generated case")
      ->type_name("DIR");
  record->add_flag("--accept-regression", all.record.acceptRegression,
                   "record outputs that are worse than the old ones too");
}

static void declareGraph(CLI::App &app, AllOptions &all) {
  CLI::App *graph =
      app.add_subcommand("graph", "draw the pipelines of manifests as a map");
  DrawOptions &draw = all.draw;
  graph->add_option("manifest", draw.manifests, "the manifests, YAML or JSON")
      ->required()
      ->type_name("MANIFEST");
  graph
      ->add_option("--format", draw.format,
                   "html, svg, dot, mermaid or json (default: html)")
      ->check(CLI::IsMember({"html", "svg", "dot", "mermaid", "json"}));
  graph
      ->add_option("-o,--output", draw.output,
                   "where the map goes (default: standard output)")
      ->type_name("FILE");
  graph->add_flag("--expand", draw.expand,
                  "show what is inside composite bubbles");
  graph
      ->add_option("--set", all.assignments,
                   "give a manifest parameter another value (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  addLibraryFlags(*graph, draw.graph.libraryDirs, draw.graph.plugins);
}

static void declareCompare(CLI::App &app, AllOptions &all) {
  CLI::App *compare = app.add_subcommand(
      "compare", "compare two tensors (.npy or .pb), a manifest's pipelines, "
                 "or a model's nodes with the oracle");
  compare
      ->add_option("actual", all.compare.actual,
                   "a tensor; or a manifest, with --pipelines or --per-node")
      ->required();
  compare->add_option("expected", all.compare.expected, "the other tensor");
  compare
      ->add_option("--pipelines", all.compare.pipelines,
                   "of a manifest: compare A's results with B's")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("A,B");
  compare->add_flag("--per-node", all.compare.perNode,
                    "of a manifest: run each node of the ONNX model by itself, "
                    "on what the oracle computes, and compare");
  compare
      ->add_option("--bound", all.compare.bounds,
                   "a tensor of each element's allowed error, in place of "
                   "--atol and --rtol")
      ->type_name("FILE");
  compare
      ->add_option("--json", all.compare.json, "write the statistics as JSON")
      ->type_name("FILE");
  RunCommandOptions &run = all.compare.run;
  addSelectionFlags(*compare, run.graph, all.assignments);
  addThreadsFlag(*compare, run.graph);
  addDeviceFlag(*compare, run.graph);
  compare->add_option("-j,--jobs", run.jobs, "live workers at most")
      ->type_name("N");
  compare
      ->add_option("--step-timeout", run.stepTimeout,
                   "end a step that takes longer than this")
      ->type_name("SECONDS");
  addToleranceFlags(*compare, all.compare.atol, all.compare.rtol,
                    all.compare.ulp);
}

static void declareOthers(CLI::App &app, AllOptions &all) {
  CLI::App *check = app.add_subcommand(
      "check", "check a manifest, its passes and its schedules; run nothing");
  addGraphFlags(*check, all.check.graph, all.assignments);
  check->add_flag("--strict", all.check.strict, "warnings fail the check");

  CLI::App *list = app.add_subcommand("list", "list what a manifest declares");
  addGraphFlags(*list, all.list.graph, all.assignments);
  CLI::Option *space = list->add_flag(
      "--space", all.list.space,
      "the pipelines as lanes through the bubbles that they use");
  list->add_option("more", all.list.more, "further manifests of the space")
      ->needs(space)
      ->type_name("MANIFEST");
  declareGraph(app, all);

  CLI::App *apply = app.add_subcommand(
      "apply", "apply one bubble, schedule or pass string to a .mlir file");
  apply
      ->add_option("what", all.apply.what,
                   "lib:area/name, a bubble file (.yaml), a schedule (.mlir) "
                   "or a pass pipeline")
      ->required();
  apply->add_option("input", all.apply.input, "the module; '-' is stdin")
      ->required();
  apply->add_option("-o,--output", all.apply.output,
                    "where the module goes (default: standard output)");
  apply->add_option("--entry", all.apply.entry,
                    "the named sequence to run, for a schedule file");
  apply
      ->add_option("--with", all.assignments,
                   "a parameter of the bubble or schedule (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  apply
      ->add_option("--target", all.apply.target,
                   "the target whose facts parameters refer to")
      ->type_name("NAME");
  addLibraryFlags(*apply, all.apply.libraryDirs, all.apply.plugins);
  addPrintFlags(*apply, all.apply.print);

  CLI::App *schema =
      app.add_subcommand("schema", "print the JSON Schema of a file form");
  schema->add_option("which", all.schema.which, "manifest, bubble or target")
      ->check(CLI::IsMember({"manifest", "bubble", "target"}));

  CLI::App *ops =
      app.add_subcommand("ops", "list the ONNX operators that can be imported");
  ops->add_option("name", all.ops.name, "only those whose name matches")
      ->type_name("GLOB");

  app.add_subcommand("doctor", "show what this machine has and lacks");

  declareCompare(app, all);

  CLI::App *report =
      app.add_subcommand("report", "turn records of runs into a page to read");
  report
      ->add_option("record", all.report.records,
                   "what run --json or bench --json wrote")
      ->required()
      ->type_name("RUN.json");
  report->add_option("--format", all.report.format, "html, as yet the only one")
      ->check(CLI::IsMember({"html"}));
  report
      ->add_option("-o,--output", all.report.output,
                   "where it goes; '-' is standard output (default: "
                   "report.html)")
      ->type_name("FILE");

  CLI::App *completion =
      app.add_subcommand("completion", "print a shell completion script");
  completion->add_option("shell", all.completion.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

static std::map<std::string, std::vector<std::string>>
collectWords(CLI::App &app) {
  std::map<std::string, std::vector<std::string>> words;
  for (CLI::App *command : app.get_subcommands({})) {
    words[""].push_back(command->get_name());
    for (const CLI::Option *option : command->get_options())
      for (const std::string &name : option->get_lnames())
        words[command->get_name()].push_back("--" + name);
  }
  return words;
}

/// Splits NAME=VALUE; false when there is no name or no '='.
static bool splitAssignments(const std::vector<std::string> &assignments,
                             std::map<std::string, std::string> &values,
                             DriverEnv &env) {
  for (const std::string &text : assignments) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      env.err << "lh-run: '" << text << "' is not of the form NAME=VALUE\n";
      return false;
    }
    values[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return true;
}

static std::optional<Command> selected(CLI::App &app, AllOptions &all,
                                       DriverEnv &env) {
  std::map<std::string, std::string> values;
  if (!splitAssignments(all.assignments, values, env))
    return std::nullopt;
  all.run.graph.set = all.check.graph.set = all.list.graph.set = values;
  all.record.graph.set = values;
  all.bench.run.graph.set = values;
  all.bisect.run.graph.set = values;
  all.compare.run.graph.set = values;
  all.explain.run.graph.set = values;
  all.draw.graph.set = values;
  all.apply.with = values;
  all.completion.words = collectWords(app);
  const std::string name = app.get_subcommands().front()->get_name();
  if (name == "run")
    return all.run;
  if (name == "bench")
    return all.bench;
  if (name == "test")
    return all.test;
  if (name == "check")
    return all.check;
  if (name == "record")
    return all.record;
  if (name == "list")
    return all.list;
  if (name == "graph")
    return all.draw;
  if (name == "apply")
    return all.apply;
  if (name == "schema")
    return all.schema;
  if (name == "ops")
    return all.ops;
  if (name == "doctor")
    return all.doctor;
  if (name == "compare")
    return all.compare;
  if (name == "report")
    return all.report;
  if (name == "ci")
    return all.ci;
  if (name == "coverage")
    return all.coverage;
  if (name == "bisect")
    return all.bisect;
  if (name == "reduce")
    return all.reduce;
  if (name == "contract")
    return all.contract;
  if (name == "infer")
    return all.infer;
  if (name == "plan")
    return all.plan;
  if (name == "explain")
    return all.explain;
  return all.completion;
}

/// `lh-run MANIFEST ...` means `lh-run run MANIFEST ...`.
static std::vector<std::string> withDefaultCommand(int argc,
                                                   const char *const *argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  auto isCommand = [](const std::string &word) {
    return std::find(std::begin(commandNames), std::end(commandNames), word) !=
           std::end(commandNames);
  };
  auto asksForInformation = [](const std::string &word) {
    return word == "--help" || word == "-h" || word == "--help-all" ||
           word == "--version";
  };
  if (!words.empty() && !isCommand(words.front()) &&
      !asksForInformation(words.front()))
    words.insert(words.begin(), "run");
  return words;
}

std::variant<Command, int>
lh::parseCommandLine(int argc, const char *const *argv, DriverEnv &env) {
  AllOptions all;
  CLI::App app("Runs declared MLIR pipelines and compares their numbers.",
               "lh-run");
  app.footer("lh-run MANIFEST is short for lh-run run MANIFEST.\n"
             "Exit codes: 0 all passed; 1 a step failed or numbers differ; "
             "2 bad usage or manifest; 77 nothing could run here.");
  app.set_version_flag("--version", versionText());
  app.set_help_all_flag("--help-all", "show every command's flags");
  app.require_subcommand(1);
  declareRun(app, all);
  declareBench(app, all);
  declareTest(app, all);
  declareRecord(app, all);
  declareOthers(app, all);
  declareCi(app, all.ci);
  declareCoverage(app, all.coverage);
  CLI::App *bisect = declareBisect(app, all.bisect);
  addGraphFlags(*bisect, all.bisect.run.graph, all.assignments);
  addExecutionFlags(*bisect, all.bisect.run);
  declareReduce(app, all.reduce);
  declareContract(app, all.contract);
  declareInfer(app, all.infer);
  declarePlan(app, all.plan);
  CLI::App *explain = declareExplain(app, all.explain);
  addGraphFlags(*explain, all.explain.run.graph, all.assignments);
  addExecutionFlags(*explain, all.explain.run);

  std::vector<std::string> words = withDefaultCommand(argc, argv);
  if (words.empty()) {
    env.err << app.help();
    return 2;
  }
  std::reverse(words.begin(), words.end()); // CLI11 takes them from the back
  try {
    app.parse(words);
  } catch (const CLI::Success &asked) {
    std::ostringstream out, err;
    app.exit(asked, out, err);
    env.out << out.str();
    return 0;
  } catch (const CLI::ParseError &wrong) {
    std::ostringstream out, err;
    app.exit(wrong, out, err);
    env.err << "lh-run: " << err.str();
    return 2;
  }
  std::optional<Command> command = selected(app, all, env);
  if (!command)
    return 2;
  return *command;
}
