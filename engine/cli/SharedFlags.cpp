// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags that several commands have.
#include "cli/SharedFlags.h"

#include "core/support/Diagnostic.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdlib>

using namespace lh;

void lh::addAssignments(CLI::App &command, const std::string &flag,
                        std::map<std::string, std::string> &values,
                        const std::string &help) {
  command
      .add_option_function<std::vector<std::string>>(
          flag,
          [&values](const std::vector<std::string> &assignments) {
            for (const std::string &text : assignments) {
              size_t equals = text.find('=');
              values[text.substr(0, equals)] = text.substr(equals + 1);
            }
          },
          help)
      ->check([](const std::string &text) {
        size_t equals = text.find('=');
        bool isOne = equals != std::string::npos && equals > 0;
        return isOne ? "" : "'" + text + "' is not of the form NAME=VALUE";
      })
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
}

void lh::addSetFlag(CLI::App &command, GraphOptions &graph) {
  addAssignments(command, "--set", graph.set,
                 "give a manifest parameter another value (may be repeated)");
}

void lh::addLibraryFlags(CLI::App &command, std::vector<std::string> &dirs,
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

void lh::addAllowExecFlag(CLI::App &command, bool &allowExec) {
  command.add_flag("--allow-exec", allowExec,
                   "let commands, and emulators of targets that are not "
                   "installed, be started");
}

void lh::addSelectionFlags(CLI::App &command, GraphOptions &graph) {
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
  addSetFlag(command, graph);
  addAllowExecFlag(command, graph.allowExec);
  addLibraryFlags(command, graph.libraryDirs, graph.plugins);
}

void lh::addGraphFlags(CLI::App &command, GraphOptions &graph) {
  command.add_option("manifest", graph.manifest, "the manifest, YAML or JSON")
      ->required()
      ->type_name("MANIFEST");
  addSelectionFlags(command, graph);
  command
      .add_option("--model", graph.models,
                  "run this model in place of the manifest's cases (may be "
                  "repeated)")
      ->allow_extra_args(false)
      ->type_name("FILE");
}

void lh::addPrintFlags(CLI::App &command, MlirPrintFlags &print) {
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

/// A word that is no number at all is CLI11's to refuse.
static std::string whyNoTolerance(const std::string &text) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end || (std::isfinite(value) && value >= 0))
    return "";
  return "'" + text + "' is no tolerance; it must be finite and at least 0 [" +
         kindName(DiagKind::NumericsBadTolerance).str() + "]";
}

void lh::addToleranceFlags(CLI::App &command, std::optional<double> &atol,
                           std::optional<double> &rtol,
                           std::optional<int64_t> &ulp) {
  command.add_option("--atol", atol, "largest absolute error allowed")
      ->check(whyNoTolerance);
  command
      .add_option("--rtol", rtol,
                  "largest error allowed, relative to the expected value")
      ->check(whyNoTolerance);
  command
      .add_option("--ulp", ulp,
                  "largest distance allowed, in representable values")
      ->check(whyNoTolerance);
}

void lh::addThreadsFlag(CLI::App &command, GraphOptions &graph) {
  command
      .add_option("--threads", graph.threads,
                  "threads that generated code uses (default: what the target "
                  "says, else 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 256));
}

void lh::addDeviceFlag(CLI::App &command, GraphOptions &graph) {
  command
      .add_option("--device", graph.device,
                  "which GPUs run code for GPUs: real ones, simulated ones, or "
                  "real ones where there are any (default)")
      ->type_name("auto|sim|real")
      ->check(CLI::IsMember({"auto", "sim", "real"}));
}

void lh::addExecutionFlags(CLI::App &command, RunCommandOptions &run) {
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
                   "warnings, and bubbles and matches that find nothing to do, "
                   "fail the run");
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
