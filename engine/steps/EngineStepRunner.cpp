// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps that need a backend; the others go to ModuleRunner.
#include "steps/EngineStepRunner.h"

#include "core/plan/FirstRuns.h"
#include "core/support/FileSystem.h"
#include "core/support/Hash.h"
#include "core/support/StandardStreams.h"
#include "runtime/abi/CompiledCode.h"
#include "runtime/abi/RunData.h"
#include "runtime/deploy/BuildLibrary.h"
#include "runtime/external/ToolExecutable.h"
#include "steps/FileChecker.h"
#include "steps/FormChecker.h"
#include "steps/HandOut.h"
#include "steps/NotingSink.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <cassert>
#include <chrono>
#include <set>
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace lh;

namespace {
struct SavedEngine : StepRunner::SavedState {
  std::unique_ptr<StepRunner::SavedState> module;
  size_t loaded = 0;
};
} // namespace

static EngineRunnerOptions withScratch(EngineRunnerOptions options) {
  options.module.scratchFolder = options.scratchFolder;
  return options;
}

EngineStepRunner::EngineStepRunner(MlirSession &session,
                                   const BackendRegistry &backends,
                                   EngineRunnerOptions options)
    : backends(backends), options(withScratch(std::move(options))),
      session(session), modules(session, this->options.module) {}

EngineStepRunner::~EngineStepRunner() = default;

std::string lh::countsFileOf(StringRef scratchFolder, StepId step) {
  return (scratchFolder + "/" + Twine(step) + "-counts").str();
}

static LogicalResult checkFormat(const BackendRegistry &backends,
                                 EmitFormat format, const TargetSpec &target,
                                 const SourceSpan &where,
                                 DiagnosticSink &sink) {
  FailureOr<const Backend *> backend = backends.get(target, sink);
  if (failed(backend))
    return failure();
  std::string reason = (*backend)->unsupportedFormat(format);
  if (reason.empty())
    return success();
  return sink.error(DiagKind::BackendEmitUnsupported, where,
                    "can't emit this format for target '" + target.name +
                        "': " + reason);
}

static LogicalResult checkFormat(const BackendRegistry &backends,
                                 const EmitAction &action,
                                 const SourceSpan &where,
                                 DiagnosticSink &sink) {
  if (action.format == EmitFormat::Mlir)
    return success();
  if (!action.target)
    return sink.error(DiagKind::BackendEmitUnsupported, where,
                      "this format needs a target; declare one in 'targets:'");
  return checkFormat(backends, action.format, *action.target, where, sink);
}

LogicalResult EngineStepRunner::prepareStep(const Step &step,
                                            DiagnosticSink &sink) {
  if (const auto *emitted = std::get_if<EmitAction>(&step.action))
    return checkFormat(backends, *emitted, step.declaredAt, sink);
  const auto *compiled = std::get_if<CompileAction>(&step.action);
  if (compiled && compiled->library)
    return checkFormat(backends, EmitFormat::SharedLibrary, *compiled->target,
                       step.declaredAt, sink);
  if (compiled && !compiled->tool)
    return failure(failed(backends.get(*compiled->target, sink)));
  return success();
}

LogicalResult EngineStepRunner::prepare(ArrayRef<Step> steps,
                                        DiagnosticSink &sink) {
  firstRuns = findFirstRuns(steps);
  firstData.clear();
  std::set<StepId> first;
  for (const auto &[loads, runs] : firstRuns)
    first.insert(runs.begin(), runs.end());
  for (const Step &step : steps)
    if (first.count(step.id))
      firstData[step.id] = std::get<RunAction>(step.action).data;
  LogicalResult result = modules.prepare(steps, sink);
  for (const Step &step : steps)
    if (failed(prepareStep(step, sink)))
      result = failure();
  return result;
}

/// Gives the system what compiling took, before weights need as much: the
/// allocator would keep it for itself.
static void returnFreeMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

LogicalResult EngineStepRunner::takeTool(const CompileAction &action,
                                         DiagnosticSink &sink) {
  auto executable = loadTool(*action.tool, modules.module(), action.entry,
                             static_cast<bool>(options.module.runCommand),
                             action.where, sink);
  if (failed(executable))
    return failure();
  loaded.push_back(std::move(*executable));
  return success();
}

LogicalResult EngineStepRunner::compile(const CompileAction &action,
                                        const Step &step, StepOutcome &outcome,
                                        DiagnosticSink &sink) {
  if (action.tool)
    return takeTool(action, sink);
  FailureOr<const Backend *> backend = backends.get(*action.target, sink);
  if (failed(backend))
    return failure();
  CodeUse use{action.countsArithmetic};
  if (action.library)
    use.library = libraryName(action.library->path);
  auto code = (*backend)->generate(modules.module(), *action.target,
                                   action.entry, use, action.where, sink);
  if (failed(code))
    return failure();
  if (options.keepsProducts)
    product = encodeCode(*code, modules.module(), paths);
  if (options.hashesCode)
    outcome.codeHash = keyHex({code->object});
  if (options.profiles && !isReference(step)) {
    auto made = (*backend)->generateClocked(modules.module(), *action.target,
                                            action.entry, action.where, sink);
    if (failed(made))
      return failure();
    clocked = std::move(*made);
  }
  return load(action, step.id, std::move(*code), sink);
}

FailureOr<std::unique_ptr<Executable>>
EngineStepRunner::loadLibrary(const CompileAction &action, StepId step,
                              CompiledCode code, DiagnosticSink &sink) {
  std::string folder = libraryFolderOf(options.scratchFolder, step);
  if (llvm::sys::fs::create_directories(folder))
    return sink.error(DiagKind::SupportCannotWrite, action.where,
                      "cannot make the folder '" + folder + "'");
  return backends.find(action.target->backend)
      ->loadLibrary(std::move(code), *action.library, folder, *action.target,
                    action.where, sink);
}

LogicalResult EngineStepRunner::load(const CompileAction &action, StepId step,
                                     CompiledCode code, DiagnosticSink &sink) {
  const Backend &backend = *backends.find(action.target->backend);
  auto executable =
      action.library
          ? loadLibrary(action, step, std::move(code), sink)
          : backend.load(std::move(code), *action.target, action.where, sink);
  returnFreeMemory();
  if (failed(executable) || failed((*executable)->prepare(sink)))
    return failure();
  loaded.push_back(std::move(*executable));
  return success();
}

/// Once for each code that was loaded; where shapes are open, once for each
/// data set that may have others. By the plan alone: runs are done in any
/// order, in processes of their own.
bool EngineStepRunner::checksWritten(const RunAction &action, const Step &step,
                                     const EntryAbi &abi) const {
  bool isStatic = llvm::all_of(abi.inputs(), [](const TensorSignature &input) {
    return input.isStatic();
  });
  auto runs = step.parent ? firstRuns.find(*step.parent) : firstRuns.end();
  if (runs == firstRuns.end() || (!isStatic && isAlwaysApplicable(action.data)))
    return true;
  for (StepId run : runs->second)
    if (whyNotApplicable(abi, firstData.at(run)).empty())
      return run == step.id;
  return true;
}

LogicalResult EngineStepRunner::execute(const RunAction &action,
                                        const Step &step, StepOutcome &outcome,
                                        DiagnosticSink &sink) {
  if (loaded.empty())
    return sink.error(DiagKind::BackendNothingLoaded, step.declaredAt,
                      "there is no compiled code to run");
  Executable &executable = *loaded.back();
  outcome.reason = whyNotApplicable(executable.signature(), action.data);
  if (!outcome.reason.empty())
    return success();
  auto inputs =
      makeInputs(executable.signature(), action.data, step.declaredAt, sink);
  if (failed(inputs))
    return failure();
  if (options.keepsInputs) {
    auto kept =
        writeOutputs(*inputs, options.scratchFolder + "/inputs", step.id, sink);
    if (failed(kept))
      return failure();
    outcome.inputs = std::move(*kept);
  }
  RunOptions runOptions;
  runOptions.repeat = action.repeat;
  runOptions.where = step.declaredAt;
  runOptions.sweepPoint = action.sweepPoint;
  runOptions.checksWritten =
      checksWritten(action, step, executable.signature());
  runOptions.isReference = StringRef(step.bubble).starts_with("oracle/");
  if (options.countsInstructions)
    runOptions.countsFile = countsFileOf(options.scratchFolder, step.id);
  if (options.beforeRun && !executable.survivesFork())
    options.beforeRun(step, executable, *inputs);
  FailureOr<RunOutput> output = executable.run(*inputs, runOptions, sink);
  if (failed(output))
    return failure();
  outcome.runSeconds = output->seconds;
  auto files =
      writeOutputs(output->outputs, options.scratchFolder, step.id, sink);
  if (failed(files))
    return failure();
  for (auto [file, result] : llvm::zip(*files, executable.signature().results))
    file.isDrawn = result.isDrawn;
  outcome.outputs = std::move(*files);
  if (clocked && action.data.isTheCases()) {
    auto profile = executable.profile(*clocked, *inputs, step.declaredAt, sink);
    if (failed(profile))
      return failure();
    outcome.profile = std::move(*profile);
  }
  if (options.afterRun && executable.survivesFork())
    options.afterRun(step, executable, *inputs, output->outputs);
  if (!action.countsArithmetic)
    return success();
  auto counted = executable.countArithmetic(*inputs, step.declaredAt, sink);
  if (failed(counted))
    return failure();
  outcome.arithmetic = std::move(*counted);
  return success();
}

static LogicalResult writeEmitted(const EmitAction &action, StringRef contents,
                                  const SourceSpan &where,
                                  DiagnosticSink &sink) {
  if (action.path != "-")
    return writeFileAtomically(action.path, contents, where, sink);
  return writeToStandardOutput(contents, where, sink);
}

LogicalResult EngineStepRunner::emit(const EmitAction &action,
                                     const SourceSpan &where,
                                     DiagnosticSink &sink) {
  if (failed(checkFormat(backends, action, where, sink)))
    return failure();
  FailureOr<std::string> contents =
      backends.find(action.target->backend)
          ->emit(modules.module(), *action.target, action.format, where, sink);
  if (failed(contents))
    return failure();
  if (options.keepsProducts)
    product = *contents;
  return writeEmitted(action, *contents, where, sink);
}

LogicalResult EngineStepRunner::performFrom(const Step &step, StringRef product,
                                            DiagnosticSink &sink) {
  if (const auto *emitted = std::get_if<EmitAction>(&step.action))
    return writeEmitted(*emitted, product, step.declaredAt, sink);
  const auto &action = std::get<CompileAction>(step.action);
  if (failed(backends.get(*action.target, sink)))
    return failure();
  auto code = decodeCode(product, action.entry, session.context(), paths,
                         action.where, sink);
  return failed(code) ? failure()
                      : load(action, step.id, std::move(*code), sink);
}

StepOutcome EngineStepRunner::runFrom(const Step &step, StringRef product) {
  CollectingSink collected;
  NotingSink noting(
      {step.declaredAt, "while running bubble '" + step.bubble + "'"},
      collected);
  bool passed = succeeded(performFrom(step, product, noting));
  return makeOutcome(step, passed, collected.take(), 0);
}

LogicalResult EngineStepRunner::perform(const Step &step, StepOutcome &outcome,
                                        DiagnosticSink &sink) {
  if (const auto *run = std::get_if<RunAction>(&step.action))
    return execute(*run, step, outcome, sink);
  if (!modules.module())
    return sink.error(DiagKind::IrWrongStep, step.declaredAt,
                      "there is no module yet; a path begins with an "
                      "'ingress:' bubble");
  if (step.requires_ &&
      failed(checkForm(modules.module(), *step.requires_, "requires", sink)))
    return failure();
  if (const auto *compiled = std::get_if<CompileAction>(&step.action))
    return compile(*compiled, step, outcome, sink);
  if (failed(emit(std::get<EmitAction>(step.action), step.declaredAt, sink)))
    return failure();
  return checkExpectations(modules.module(), step.expect, sink);
}

StepOutcome EngineStepRunner::run(const Step &step) {
  if (ModuleRunner::handles(step))
    return modules.run(step);
  auto start = std::chrono::steady_clock::now();
  CollectingSink collected;
  NotingSink noting(
      {step.declaredAt, "while running bubble '" + step.bubble + "'"},
      collected);
  StepOutcome done;
  bool passed = succeeded(perform(step, done, noting));
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  StepOutcome outcome =
      makeOutcome(step, passed, collected.take(), elapsed.count());
  outcome.changedModule = false;
  outcome.runSeconds = std::move(done.runSeconds);
  outcome.arithmetic = std::move(done.arithmetic);
  outcome.profile = std::move(done.profile);
  outcome.codeHash = std::move(done.codeHash);
  outcome.outputs = std::move(done.outputs);
  outcome.inputs = std::move(done.inputs);
  if (!done.reason.empty()) {
    outcome.status = StepStatus::NotApplicable;
    outcome.reason = std::move(done.reason);
  }
  return outcome;
}

std::unique_ptr<StepRunner::SavedState> EngineStepRunner::save() {
  auto saved = std::make_unique<SavedEngine>();
  saved->module = modules.save();
  saved->loaded = loaded.size();
  return saved;
}

void EngineStepRunner::restore(const SavedState &state) {
  const auto &saved = static_cast<const SavedEngine &>(state);
  assert(saved.loaded <= loaded.size() && "restored in another order");
  modules.restore(*saved.module);
  if (loaded.size() > saved.loaded)
    clocked.reset();
  loaded.resize(saved.loaded);
}
