// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags that several commands have.
#include "cli/SharedOptions.h"

#include "core/cache/RemoteCache.h"

#include "cli/Command.h"
#include "core/support/Diagnostic.h"
#include "steps/ModuleRunner.h"

#include <cmath>
#include <cstdlib>

using namespace lh;

constexpr const char *choosing = "Choosing a part of the manifest";
constexpr const char *trusting = "Libraries and programs";
constexpr const char *running = "Running";
constexpr const char *judging = "Judging";

CLI::Option *lh::addRepeatedFlag(CLI::App &command, const char *flag,
                                 std::vector<std::string> &values,
                                 const char *type, const char *help) {
  return addValue(command, flag, type, values, help)->allow_extra_args(false);
}

void lh::addAssignmentsFlag(CLI::App &command, const char *flag,
                            std::map<std::string, std::string> &values,
                            const char *help) {
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
  FlagHeading heading(command, choosing);
  addAssignmentsFlag(command, "--set", graph.set,
                     "give a parameter of the manifest another value, which is "
                     "checked against its type and range; may be repeated");
}

void lh::addLibraryFlag(CLI::App &command, std::vector<std::string> &dirs) {
  FlagHeading heading(command, trusting);
  addRepeatedFlag(command, "--library", dirs, "DIR",
                  "another folder with schedules/ and targets/, searched "
                  "before the installed one; may be repeated");
}

void lh::addLibraryFlags(CLI::App &command, std::vector<std::string> &dirs,
                         std::vector<std::string> &plugins) {
  addLibraryFlag(command, dirs);
  FlagHeading heading(command, trusting);
  addRepeatedFlag(command, "--plugin", plugins, "FILE",
                  "load an MLIR dialect or pass plugin, a shared library whose "
                  "code runs with your rights; may be repeated");
}

void lh::addAllowExecFlag(CLI::App &command, bool &allowExec) {
  FlagHeading heading(command, trusting);
  command.add_flag("--allow-exec", allowExec,
                   "let commands, and emulators of targets that are not "
                   "installed, be started; without it nothing that a file "
                   "names is started, and the run ends before its first step");
}

void lh::addNameFlags(CLI::App &command, GraphOptions &graph) {
  FlagHeading heading(command, choosing);
  addRepeatedFlag(command, "--pipeline", graph.pipelines, "NAME",
                  "only these pipelines: a name or a glob; may be repeated");
  addRepeatedFlag(command, "--case", graph.cases, "NAME",
                  "only these cases: a name or a glob, as node/test_conv_* for "
                  "folders of the case 'node'; may be repeated");
}

void lh::addSelectionFlags(CLI::App &command, GraphOptions &graph) {
  FlagHeading heading(command, choosing);
  addValue(command, "--target", "NAME", graph.target,
           "generate code for this target of the manifest, or for the one that "
           "a target file of your own (mine.yaml) describes (default: the "
           "first that runs natively here)");
  addNameFlags(command, graph);
  addSetFlag(command, graph);
  addLibraryFlags(command, graph.libraryDirs, graph.plugins);
  addAllowExecFlag(command, graph.allowExec);
}

void lh::addGraphFlags(CLI::App &command, GraphOptions &graph) {
  addValue(command, "manifest", "MANIFEST|MODEL", graph.manifest,
           "the manifest, YAML or JSON; or a model (ONNX or MLIR), which the "
           "library's manifest for its kind compiles")
      ->required();
  addSelectionFlags(command, graph);
  FlagHeading heading(command, choosing);
  addValue(command, "--manifest", "FILE", graph.modelManifest,
           "with a MODEL: by the pipelines of this manifest");
  addRepeatedFlag(command, "--model", graph.models, "FILE",
                  "run this model (.onnx or .mlir, as the manifest imports) in "
                  "place of the manifest's cases: its inputs are generated, "
                  "and the oracle judges its outputs; may be repeated");
  addRepeatedFlag(command, "--tuned", graph.tuned, "FILE",
                  "choices that 'lh-run tune' has measured, which come before "
                  "the manifest's; may be repeated");
}

void lh::addManifests(CLI::App &command, std::vector<std::string> &manifests) {
  addValue(command, "manifest", "MANIFEST", manifests,
           "the manifests, YAML or JSON")
      ->required();
}

void lh::addCacheFlags(CLI::App &command, CacheOptions &cache) {
  FlagHeading heading(command, "Cache");
  CLI::Option *off = command.add_flag("--no-cache", cache.off,
                                      "run every step, and keep nothing of it");
  addValue(command, "--cache", "DIR", cache.folder,
           "keep what steps do in this folder (default: what LIGHTHOUSE_CACHE "
           "says, where 'off' keeps nothing; else lighthouse in XDG_CACHE_HOME "
           "or ~/.cache)")
      ->excludes(off);
  addValue(command, "--remote-cache", "URL[,read-only]", cache.remote,
           "look for what isn't kept here on this server, and put there what "
           "is made (HTTP GET and PUT of URL/KEY); whoever may write to it can "
           "run code as you")
      ->check(
          [](const std::string &text) {
            return parseRemoteCache(text)
                       ? ""
                       : "'" + text + "' is no http:// or https:// address";
          },
          "", "")
      ->excludes(off);
  addValue(command, "--cache-size", "MIB", cache.mebibytes,
           "the most that is kept; what was used least recently goes first "
           "(default: 2048)");
  command.add_flag(
      "--explain-cache", cache.explain,
      "say of each step whether it was known, and if not, what has changed");
  command.add_flag("--paranoid", cache.paranoid,
                   "read models and weights to tell whether they are the same, "
                   "also where path, size, time and inode are");
}

void lh::addPrintFlags(CLI::App &command, PrintOptions &print) {
  FlagHeading heading(command, "MLIR's print flags");
  command.add_flag("--mlir-print-ir-before-all", print.beforeAll,
                   "print the IR before each pass");
  command.add_flag("--mlir-print-ir-after-all", print.afterAll,
                   "print the IR after each pass");
  command.add_flag("--mlir-print-ir-after-change", print.afterChange,
                   "print the IR after each pass that changed it");
  command.add_flag("--mlir-print-ir-after-failure", print.afterFailure,
                   "print the IR after a pass that failed");
  addValue(command, "--mlir-print-ir-tree-dir", "DIR", print.treeDir,
           "write printed IR as a tree of files under this folder");
}

void lh::addTimingFlags(CLI::App &command, TimingOptions &timing) {
  FlagHeading heading(command, "Timing");
  command.add_flag("--timing", timing.print,
                   "say where the time went: bubbles, and in them passes and "
                   "the operations of schedules that took a thousandth of it");
  addValue(command, "--trace", "FILE", timing.trace,
           "write the run for chrome://tracing or Perfetto: a thread for each "
           "worker, in it steps, in these passes");
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

void lh::addToleranceFlags(CLI::App &command, ToleranceDecl &tolerance) {
  FlagHeading heading(command, judging);
  addValue(command, "--atol", "X", tolerance.atol,
           "the largest absolute error allowed, instead of every other "
           "tolerance")
      ->check(whyNoTolerance);
  addValue(command, "--rtol", "X", tolerance.rtol,
           "the largest error allowed, relative to the expected value, "
           "instead of every other tolerance")
      ->check(whyNoTolerance);
  addValue(command, "--ulp", "N", tolerance.ulp,
           "the largest distance allowed, in representable values, "
           "instead of every other tolerance")
      ->check(whyNoTolerance);
}

void lh::addThreadsFlag(CLI::App &command, GraphOptions &graph) {
  FlagHeading heading(command, running);
  addValue(command, "--threads", "N", graph.threads,
           "how many threads the generated code uses (default: the target's "
           "fact 'threads', else 1); more than 1 needs LLVM's OpenMP runtime, "
           "without which targets are skipped")
      ->check(CLI::Range(1, 256));
}

void lh::addDeviceFlag(CLI::App &command, GraphOptions &graph) {
  FlagHeading heading(command, running);
  addValue(command, "--device", "auto|sim|real", graph.device,
           "what runs code for GPUs: 'real': a GPU, and targets that none fits "
           "are skipped; 'sim': a simulated one, or for Vulkan one in software, "
           "with results labelled so; "
           "'auto' (default): a GPU where there is one, else a simulated one")
      ->check(CLI::IsMember({"auto", "sim", "real"}));
}

void lh::addJobsFlag(CLI::App &command, ManifestRunOptions &run) {
  FlagHeading heading(command, running);
  addValue(command, "-j,--jobs", "N", run.jobs,
           "how many workers live at most (default: one per core, or per "
           "--threads cores)");
}

void lh::addStepTimeoutFlag(CLI::App &command, ManifestRunOptions &run) {
  FlagHeading heading(command, running);
  addValue(command, "--step-timeout", "SECONDS", run.stepTimeout,
           "end a step that takes longer than this");
}

static void addJudgingFlags(CLI::App &command, ManifestRunOptions &run) {
  addToleranceFlags(command, run.tolerance);
  FlagHeading heading(command, judging);
  addValue(command, "--oracle", "MODE", run.oracle,
           "judge results against the oracle in this way, whatever the "
           "manifest says")
      ->check(CLI::IsMember(
          {"auto", "exact", "bound", "ratio", "tolerance", "proof"}));
  command.add_flag("--explain-tolerance", run.explainTolerance,
                   "say of each output which criterion judged it, by how much, "
                   "and which line of which file decided");
  command.add_flag("--strict", run.strict,
                   "warnings, and bubbles and matches that find nothing to do, "
                   "fail the run");
}

void lh::addExecutionFlags(CLI::App &command, ManifestRunOptions &run) {
  addThreadsFlag(command, run.graph);
  addDeviceFlag(command, run.graph);
  addJobsFlag(command, run);
  addStepTimeoutFlag(command, run);
  FlagHeading heading(command, running);
  addValue(command, "--memory-limit", "MIB", run.memoryLimitMiB,
           "how much memory one worker may allocate");
  command.add_flag("--keep-going", run.keepGoing,
                   "run the other paths and cases after a failure");
  addRepeatedFlag(command, "--input", run.inputs, "NAME=...",
                  "feed this instead of the case's input: x=@file.npy, or "
                  "x=1x8x8xf32=normal; may be repeated");
  addValue(command, "--seed", "N", run.seed,
           "draw generated inputs with this seed instead of the case's");
  command.add_flag("-v,--verbose", run.verbose,
                   "log each step with its time and memory, and how operations "
                   "were chosen to be computed");
  addJudgingFlags(command, run);
}

void lh::addJsonFlag(CLI::App &command, std::string &file, const char *help) {
  addValue(command, "--json", "FILE", file, help);
}
