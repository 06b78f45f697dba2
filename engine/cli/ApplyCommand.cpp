// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run apply`: one bubble, schedule or pass string on one module.
#include "cli/Command.h"

#include "cli/SharedOptions.h"
#include "core/exec/Autopsy.h"
#include "core/plan/BindAction.h"
#include "core/support/Descendants.h"
#include "core/support/FileSystem.h"
#include "steps/Engine.h"
#include "steps/GraphLoader.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace lh;

namespace {
struct ApplyOptions {
  std::string what, input, output = "-", entry;
  std::string target;
  std::map<std::string, std::string> with;
  std::vector<std::string> libraryDirs, plugins;
  PrintOptions print;
};
} // namespace

static void addApplyFlags(CLI::App &command, ApplyOptions &options) {
  command
      .add_option("what", options.what,
                  "lib:area/name, a bubble file (.yaml), a schedule (.mlir) or "
                  "a pass pipeline, such as canonicalize,cse")
      ->required();
  command
      .add_option("input", options.input, "the module; '-' is standard input")
      ->required();
  addValue(command, "-o,--output", "FILE", options.output,
           "where the module goes (default: standard output)");
  addValue(
      command, "--entry", "NAME", options.entry,
      "of a schedule: the named sequence to run (default: __transform_main)");
  addAssignmentsFlag(command, "--with", options.with,
                     "a parameter of the bubble or schedule; may be repeated");
  addValue(command, "--target", "NAME", options.target,
           "the target whose facts parameters refer to (default: host)");
  addLibraryFlags(command, options.libraryDirs, options.plugins);
  addPrintFlags(command, options.print);
}

/// What `--with NAME=VALUE` means for a bare schedule, which declares no types.
static Value guessedValue(StringRef text) {
  if (text == "true" || text == "false")
    return text == "true";
  int64_t integer = 0;
  if (!text.getAsInteger(0, integer))
    return integer;
  double number = 0;
  if (!text.getAsDouble(number))
    return number;
  return text.str();
}

static FailureOr<std::vector<Step>> bubbleSteps(const ApplyOptions &options,
                                                ResolveOptions resolve,
                                                SourceStore &sources,
                                                DiagnosticSink &sink) {
  FailureOr<TargetSpec> target =
      namedTarget(options.target, resolve, sources, sink);
  if (failed(target))
    return failure();
  resolve.set = options.with;
  FailureOr<std::vector<ResolvedBubble>> bubbles =
      loadBubbleFile(options.what, *target, resolve, sources, sink);
  if (failed(bubbles))
    return failure();
  const std::map<std::string, Value> facts = factValues(*target), none;
  const DataSet noData;
  std::vector<Step> steps;
  for (const ResolvedBubble &bubble : *bubbles) {
    FailureOr<std::vector<Step>> bound = bindBubble(
        bubble, {*target, noData, none, {&none, &facts, nullptr, nullptr}},
        sink);
    if (failed(bound))
      return failure();
    steps.insert(steps.end(), bound->begin(), bound->end());
  }
  return steps;
}

/// The steps that the command line's WHAT stands for.
static FailureOr<std::vector<Step>>
requestedSteps(const ApplyOptions &options, const ResolveOptions &resolve,
               SourceStore &sources, DiagnosticSink &sink) {
  StringRef what = options.what;
  if (what.starts_with("lib:") || what.ends_with(".yaml") ||
      what.ends_with(".json"))
    return bubbleSteps(options, resolve, sources, sink);
  Step step;
  step.bubble = what.str();
  step.declaredAt = commandLinePlace();
  if (!what.ends_with(".mlir")) {
    step.action = PassesAction{what.str(), commandLinePlace()};
    return std::vector<Step>{step};
  }
  ScheduleAction schedule{absolutePath(what, workingDirectory()),
                          options.entry.empty() ? "__transform_main"
                                                : options.entry,
                          {},
                          {},
                          commandLinePlace()};
  for (const auto &[name, text] : options.with)
    schedule.parameters.push_back(
        {{name, commandLinePlace()}, guessedValue(text)});
  step.action = std::move(schedule);
  return std::vector<Step>{step};
}

/// Errors go to `err`.
static int applyHere(const ApplyOptions &options, const DriverEnv &env,
                     VisibleStream &err) {
  SourceStore sources(env.files);
  StreamSink sink(err, sources, sinkOptions(env));
  GraphOptions graphOptions;
  graphOptions.libraryDirs = options.libraryDirs;
  FailureOr<std::vector<Step>> steps =
      requestedSteps(options, resolveOptions(graphOptions, env), sources, sink);
  Engine::Options engineOptions;
  engineOptions.plugins = options.plugins;
  engineOptions.libraryDirs = env.libraryDirs;
  engineOptions.runner.module.print = options.print;
  FailureOr<std::unique_ptr<Engine>> engine =
      Engine::create(engineOptions, sink);
  if (failed(steps) || failed(engine))
    return badUsage;

  Step import, emit;
  import.bubble = "input";
  import.action = ImportAction{IngressKind::Mlir, options.input, {}, {}};
  emit.bubble = "output";
  emit.action = EmitAction{EmitFormat::Mlir, options.output, {}};
  steps->insert(steps->begin(), import);
  steps->push_back(emit);
  EngineStepRunner &runner = (*engine)->runner();
  if (failed(runner.prepare(*steps, sink)))
    return badUsage;
  for (const Step &step : *steps) {
    StepOutcome outcome = runner.run(step);
    for (const Diagnostic &diagnostic : outcome.diagnostics)
      sink.emit(diagnostic);
    if (outcome.status != StepStatus::Passed)
      return 1;
  }
  return 0;
}

/// The worker's whole life. What others print goes to `log`.
[[noreturn]] static void applyInWorker(const ApplyOptions &options,
                                       const DriverEnv &env, int log) {
  llvm::raw_fd_ostream terminal(dup(STDERR_FILENO), /*shouldClose=*/false,
                                /*unbuffered=*/true);
  for (int stream : {STDOUT_FILENO, STDERR_FILENO})
    (void)dup2(log, stream);
  VisibleStream err(terminal);
  int code = applyHere(options, env, err);
  env.out.finish();
  llvm::outs().flush();
  std::fflush(nullptr);
  _exit(code);
}

static std::string contentsOf(int file) {
  std::string text(
      static_cast<size_t>(std::max<off_t>(0, lseek(file, 0, SEEK_END))), '\0');
  ssize_t size = pread(file, text.data(), text.size(), 0);
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, size)));
  return text;
}

/// In a process of its own: upstream's transform ops may crash on what they
/// weren't made for.
static int runApply(const ApplyOptions &options, DriverEnv &env) {
  env.out.finish();
  Subreaper subreaper;
  pid_t parent = getpid();
  int log = memfd_create("log", MFD_CLOEXEC);
  pid_t worker = log < 0 ? -1 : fork();
  if (worker < 0)
    return applyHere(options, env, env.err);
  if (worker == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(1);
    applyInWorker(options, env, log);
  }
  int status = 0;
  while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
    ;
  subreaper.endAllOrphans();
  std::string printed = contentsOf(log);
  env.err << printed;
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  env.err << "lh-run: error: '" << visibleLine(options.what) << "' "
          << visibleLine(autopsy(0, status, printed).reason) << "\n";
  return 1;
}

CommandRun lh::makeApplyCommand(CLI::App &command) {
  return makeCommand(command, addApplyFlags, runApply);
}
