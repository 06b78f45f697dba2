// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line as plain option structs; CLI11's one home is the .cpp.
#ifndef LH_CLI_COMMANDLINE_H
#define LH_CLI_COMMANDLINE_H

#include "cli/DriverEnv.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lh {

/// What selects a part of a manifest's graph.
struct GraphOptions {
  std::string manifest;
  std::string target;
  std::vector<std::string> pipelines, cases;
  std::vector<std::string> models; ///< run in place of the cases
  std::map<std::string, std::string> set;
  std::vector<std::string> libraryDirs;
  std::vector<std::string> plugins;
  bool allowExec = false;
  unsigned threads = 0;        ///< of the generated code; 0: what targets say
  std::string device = "auto"; ///< see DeviceChoice
};

/// MLIR's own print flags, passed through.
struct MlirPrintFlags {
  bool beforeAll = false, afterAll = false, afterChange = false,
       afterFailure = false;
  std::string treeDir;
};

/// Where what steps do is kept, so that they need not do it again.
struct CacheOptions {
  bool off = false;
  std::string folder; ///< empty: what the environment says
  uint64_t mebibytes = 2048;
  bool explain = false, paranoid = false;
};

struct RunCommandOptions {
  GraphOptions graph;
  CacheOptions cache;
  unsigned jobs = 0; ///< 0: one per core
  std::string until, output;
  bool dryRun = false;
  std::string schedules; ///< where dryRun writes schedules; empty: nowhere
  std::string outDir, json, junit, saveOutputs, snapshots;
  std::string failures; ///< where failing steps leave folders; empty: default
  bool noFailures = false;
  std::string from; ///< the bubble whose snapshot is begun with
  std::string lit, markdown, annotations; ///< further reports
  bool keepGoing = false, strict = false, inProcess = false;
  bool explainTolerance = false;
  std::vector<std::string> inputs;
  std::optional<uint64_t> seed;
  double stepTimeout = 0;      ///< seconds; 0: none
  uint64_t memoryLimitMiB = 0; ///< per worker; 0: none
  std::optional<double> atol, rtol;
  std::optional<int64_t> ulp;
  std::string oracle; ///< a mode's name; empty: the manifest's
  MlirPrintFlags print;
  bool verbose = false;
  bool timing = false; ///< print where the time went
  std::string trace;   ///< where the run goes for a viewer of traces
};

/// `lh-run bench MANIFEST`: a run, then measurements of what passed.
struct BenchOptions {
  RunCommandOptions run;
  std::string vs;           ///< the pipeline that ratios are to; empty: none
  bool race = false;        ///< every pipeline on every target that runs here
  std::string choice;       ///< where the manifest of the fastest goes
  std::string lnt, lnt5;    ///< where the reports for LNT go
  bool modelCycles = false; ///< of emulated code: count, and model cores
  double timeLimit = 10;    ///< seconds per case
  double errorPercent = 1;  ///< the standard error at which it is enough
};

/// `lh-run test [BUBBLE...]`.
struct TestOptions {
  std::vector<std::string> what; ///< none: every bubble of the library
  RunCommandOptions run;         ///< of each test; without its manifest
  std::string json, junit;       ///< reports of all tests
};

struct CheckOptions {
  GraphOptions graph;
  bool strict = false;
};

/// `lh-run record MANIFEST --case X`: expected outputs, made or refreshed.
struct RecordOptions {
  GraphOptions graph; ///< a target given: into its override folder
  std::string dtype;  ///< likewise: outputs of this element type alone
  std::string against = "oracle";
  std::string outDir; ///< the new golden folder of a generated case
  bool acceptRegression = false;
  bool replaceProducer = false; ///< of outputs that lh-run didn't record
};

struct ListOptions {
  GraphOptions graph;
  bool space = false;            ///< the pipeline space, as text
  bool facts = false;            ///< the targets' facts, too
  std::vector<std::string> more; ///< further manifests of the space
};

/// `lh-run graph MANIFEST...`: the pipeline space as a map.
struct DrawOptions {
  GraphOptions graph; ///< parameters and libraries; not its manifest
  std::vector<std::string> manifests;
  std::string format = "html", output = "-";
  bool expand = false; ///< show what is inside composite bubbles
};

/// `lh-run apply BUBBLE|FILE.mlir|"passes" INPUT.mlir [-o FILE]`.
struct ApplyOptions {
  std::string what, input, output = "-", entry;
  std::string target;
  std::map<std::string, std::string> with;
  std::vector<std::string> libraryDirs, plugins;
  MlirPrintFlags print;
};

/// `lh-run ci MANIFEST...`: what a CI system is to run.
struct CiOptions {
  std::vector<std::string> manifests;
  GraphOptions graph; ///< pipelines, cases, folders and plugins of all
  std::vector<std::string> targets; ///< globs; none: all
  std::string format = "json";      ///< json, github, gitlab, buildkite, ctest
  std::string output;               ///< empty or "-": standard output
  std::string program = "lh-run";   ///< what jobs call
  std::string resultsDir = "lh-results";
  /// Of each job, in seconds; 0: none. No step of a shipped manifest takes as
  /// long, and code that doesn't end costs a CI system this much.
  double stepTimeout = 600;
  std::vector<std::string> runners;   ///< NAME=LABEL,LABEL
  std::vector<std::string> durations; ///< run records, and folders of them
  std::string shard;                  ///< I/N; empty: all
  std::string affectedBy;             ///< a git revision; empty: all
  std::optional<double> budgetMinutes;
};

/// `lh-run coverage MANIFEST... --runs DIR`: what runs have seen.
struct CoverageOptions {
  std::vector<std::string> manifests;
  GraphOptions graph;            ///< folders alone
  std::vector<std::string> runs; ///< run records, and folders of them
  std::string json;
};

struct SchemaOptions {
  std::string which = "manifest"; ///< manifest, bubble or target
};

struct OpsOptions {
  std::string name = "*"; ///< a glob
};

struct DoctorOptions {};

struct CompareOptions {
  std::string actual, expected; ///< tensor files; or a manifest alone
  /// Of a manifest: two pipelines to compare, or node by node.
  std::vector<std::string> pipelines;
  bool perNode = false;
  RunCommandOptions run;
  std::string bounds; ///< a file of each element's allowed error
  std::string json;   ///< where to write the statistics
  std::optional<double> atol, rtol;
  std::optional<int64_t> ulp;
};

/// `lh-run report RUN.json...`.
struct ReportOptions {
  std::vector<std::string> records;
  std::string format = "html";
  std::string output = "report.html";
};

struct CompletionOptions {
  std::string shell;
  /// The words to offer, as "command" -> its flags; "" holds the commands.
  std::map<std::string, std::vector<std::string>> words;
};

/// `lh-run bisect MANIFEST`: which step is to blame.
struct BisectOptions {
  RunCommandOptions run;
  std::string property;  ///< mismatch, crash, nan or slow; empty: what fails
  double slowerThan = 2; ///< "slow": so many times the plain lowering's time
  unsigned repeat = 1;   ///< runs of each probe
  std::string outDir = "lh-bisect";
  std::string json;
};

/// `lh-run reduce DIR`: a reproducer made smaller.
struct ReduceOptions {
  std::string folder;
  std::string output;    ///< empty: `<folder>-reduced`
  double timeLimit = 60; ///< seconds; what is found by then is written
  bool allowExec = false; ///< load plugins and start programs it names
  bool verbose = false;
};

/// `lh-run contract [BUBBLE] --on FILE`: may the bubble run on it?
struct ContractOptions {
  std::string bubble, on, target;
  std::vector<std::string> libraryDirs, plugins;
};

/// `lh-run infer BUBBLE`: a contract from what it was seen to do.
struct InferOptions {
  std::string bubble;
  std::vector<std::string> runs; ///< records with snapshots; none: its test
  RunCommandOptions run;         ///< of the test
};

/// `lh-run plan --from FORM|FILE --to TARGET|FORM`.
struct PlanOptions {
  std::string from, to;
  std::string target;   ///< whose facts parameters take, where `to` is a form
  std::string emit;     ///< what to end with instead of running
  bool dynamic = false; ///< `from` is a form whose shapes are not all known
  std::string output = "-";
  std::vector<std::string> libraryDirs, plugins;
};

/// `lh-run explain MANIFEST`: what each bubble did.
struct ExplainOptions {
  RunCommandOptions run;
  std::string bubble, op, node; ///< one at most; none: a summary of each bubble
  std::string format = "text";  ///< or json
};

using Command =
    std::variant<RunCommandOptions, BenchOptions, TestOptions, RecordOptions,
                 CheckOptions, ListOptions, DrawOptions, ApplyOptions,
                 SchemaOptions, OpsOptions, DoctorOptions, CompareOptions,
                 ReportOptions, CompletionOptions, CiOptions, CoverageOptions,
                 BisectOptions, ReduceOptions, ContractOptions, InferOptions,
                 PlanOptions, ExplainOptions>;

/// The command to carry out, or the exit code when there is none: help and
/// version (0) and usage errors (2) have been printed to `env` already.
std::variant<Command, int> parseCommandLine(int argc, const char *const *argv,
                                            DriverEnv &env);

} // namespace lh

#endif // LH_CLI_COMMANDLINE_H
