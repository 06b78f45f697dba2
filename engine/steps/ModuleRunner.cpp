// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One step on the module: what it does, what it says, what it changed.
#include "steps/ModuleRunner.h"

#include "compiler/gaps/Entries.h"
#include "compiler/ingress/mlir/MlirImporter.h"
#include "compiler/ingress/onnx/OnnxImporter.h"
#include "compiler/ingress/stablehlo/StablehloImporter.h"
#include "compiler/session/BoundShapes.h"
#include "compiler/session/Candidates.h"
#include "compiler/session/ExactRange.h"
#include "compiler/session/FormGatherer.h"
#include "compiler/session/GapWatch.h"
#include "compiler/session/MlirDiagnostics.h"
#include "compiler/session/ModelFile.h"
#include "compiler/session/ModuleFile.h"
#include "compiler/session/ModuleText.h"
#include "compiler/session/NodeWork.h"
#include "compiler/session/PassClock.h"
#include "compiler/session/Snapshot.h"
#include "core/support/FileSystem.h"
#include "core/support/StandardStreams.h"
#include "steps/FileChecker.h"
#include "steps/FormChecker.h"
#include "steps/MatchChecks.h"
#include "steps/NotingSink.h"
#include "steps/OrderedInputs.h"
#include "steps/PreparedActions.h"
#include "steps/RemarkCatcher.h"
#include "steps/StepObservation.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>
#include <set>
#include <sys/resource.h>

using namespace lh;

namespace {
struct SavedModule : StepRunner::SavedState {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ModuleHistory history;
};

/// Which passes ran, and which one failed.
class PassWatcher : public mlir::PassInstrumentation {
public:
  struct Log {
    std::set<std::string> ran;
    std::string failed; ///< the innermost
  };
  explicit PassWatcher(Log &log) : log(log) {}

private:
  void runBeforePass(mlir::Pass *pass, mlir::Operation *) override {
    log.ran.insert(pass->getArgument().str());
  }
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *) override {
    if (log.failed.empty())
      log.failed = pass->getArgument().str();
  }
  Log &log;
};
} // namespace

struct ModuleRunner::State {
  State(MlirSession &session, ModuleRunnerOptions options)
      : context(session.context()), options(std::move(options)),
        prepared(session.context(), this->options.timing,
                 this->options.kernelCode, this->options.runCommand) {}

  LogicalResult import(const ImportAction &, const Step &, DiagnosticSink &);
  LogicalResult run(const ImportAction &, const Step &, DiagnosticSink &);
  LogicalResult run(const PassesAction &, const Step &, DiagnosticSink &);
  LogicalResult run(const ScheduleAction &, const Step &, DiagnosticSink &);
  LogicalResult run(const PatternsAction &, const Step &, DiagnosticSink &);
  LogicalResult run(const CommandAction &, const Step &, DiagnosticSink &);
  LogicalResult run(const EmitAction &, const Step &, DiagnosticSink &);
  template <typename Action>
  LogicalResult run(const Action &, const Step &step, DiagnosticSink &sink) {
    return sink.error(DiagKind::IrWrongStep, step.declaredAt,
                      "this step needs a backend; it can't run on a module");
  }

  FailureOr<std::string> modelPath(const ImportAction &action, const Step &step,
                                   DiagnosticSink &sink);
  FailureOr<std::string> runProgram(ArrayRef<std::string> words,
                                    StringRef input, const Step &step,
                                    DiagnosticSink &sink);
  LogicalResult runTool(ArrayRef<std::string> words, StringRef input,
                        const Step &step, DiagnosticSink &sink);
  LogicalResult runManager(mlir::PassManager &manager, DiagKind errorKind,
                           const SourceSpan &where, PassWatcher::Log &log,
                           MlirDiagnostics &caught, DiagnosticSink &sink);
  void addPrinting(mlir::PassManager &manager);
  LogicalResult perform(const Step &step, DiagnosticSink &sink);
  bool performWatched(const Step &step, StepOutcome &seen,
                      DiagnosticSink &sink);
  std::string keepSnapshots(const Step &step, bool changed,
                            DiagnosticSink &sink);
  void keepResumable(const Step &step, DiagnosticSink &sink);
  const ModuleForm &currentForm();
  /// Someone else may change the module.
  void forget() {
    facts = {};
    form.reset();
  }
  LogicalResult check(const FormDecl &form, StringRef what,
                      DiagnosticSink &sink);
  LogicalResult checkAfter(const Step &step,
                           const std::optional<ModuleForm> &before,
                           DiagnosticSink &sink);

  mlir::MLIRContext &context;
  ModuleRunnerOptions options;
  PreparedActions prepared;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ModuleHistory history; ///< of `module`, where snapshots are kept
  /// Whether inputs are generated: then the module says what to draw.
  bool generatesInputs = false;
  bool compiles = false;
  /// Of the module after the last step: the next one's "before".
  ModuleFacts facts;
  /// Of the module as it is; gathered when a contract asks. Gone, as the facts
  /// are, when someone else may have changed the module.
  std::optional<ModuleForm> form;
  std::unique_ptr<PassClock> clock;     ///< of the step that runs, if asked for
  std::vector<MatchCount> matches;      ///< of the step that runs
  std::vector<OpCandidates> candidates; ///< the same
  bool isOptional = false;              ///< it may change nothing
};

/// The file to read, which a command may have to write first.
FailureOr<std::string>
ModuleRunner::State::modelPath(const ImportAction &action, const Step &step,
                               DiagnosticSink &sink) {
  if (action.command.empty())
    return action.path;
  std::string path =
      options.scratchFolder + "/" + std::to_string(step.id) + "-model";
  std::vector<std::string> words = action.command;
  for (std::string &word : words)
    if (size_t at = word.find("{output}"); at != std::string::npos)
      word.replace(at, StringRef("{output}").size(), path);
  if (failed(runProgram(words, "", step, sink)))
    return failure();
  if (llvm::sys::fs::is_regular_file(path))
    return path;
  return sink.error(DiagKind::IrCommandFailed, step.declaredAt,
                    "'" + words.front() +
                        "' wrote no model to the file that '{output}' stands "
                        "for");
}

LogicalResult ModuleRunner::State::import(const ImportAction &action,
                                          const Step &step,
                                          DiagnosticSink &sink) {
  if (action.kind == IngressKind::Command)
    return runTool(action.command, "", step, sink);
  FailureOr<std::string> path = modelPath(action, step, sink);
  if (failed(path) || failed(checkModelKind(*path, action.kind, sink)))
    return failure();
  MlirDiagnostics caught(context, DiagKind::IngressInvalidMlir,
                         step.declaredAt);
  FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> imported = failure();
  if (action.kind == IngressKind::Mlir) {
    imported = importMlir(*path, context, sink);
  } else if (action.kind == IngressKind::Stablehlo) {
    imported = importStablehlo(*path, boundShapes(action), context, sink);
  } else {
    imported = importOnnx({*path, boundShapes(action)}, context, sink);
  }
  caught.flushTo(sink);
  if (failed(imported))
    return failure();
  FailureOr<ModuleHistory> before = openSnapshot(**imported, action.path, sink);
  if (failed(before))
    return failure();
  history = std::move(*before);
  module = std::move(*imported);
  return success();
}

LogicalResult ModuleRunner::State::run(const ImportAction &action,
                                       const Step &step, DiagnosticSink &sink) {
  history.clear();
  if (failed(import(action, step, sink)))
    return failure();
  // A snapshot has its marks.
  if (generatesInputs && history.empty()) {
    markExactRange(*module);
    markOrderedInputs(*module);
    markUndefinedOnSpecials(*module);
  }
  keepArguments(*module);
  if (compiles)
    noteSignatures(*module);
  return success();
}

void ModuleRunner::State::addPrinting(mlir::PassManager &manager) {
  const PrintOptions &print = options.print;
  if (!print.any())
    return;
  bool after = print.afterAll || print.afterChange || print.afterFailure;
  auto onlyIf = [](bool wanted) {
    return [wanted](mlir::Pass *, mlir::Operation *) { return wanted; };
  };
  if (print.treeDir.empty())
    manager.enableIRPrinting(onlyIf(print.beforeAll), onlyIf(after),
                             print.moduleScope, print.afterChange,
                             print.afterFailure, llvm::errs());
  else
    manager.enableIRPrintingToFileTree(onlyIf(print.beforeAll), onlyIf(after),
                                       print.moduleScope, print.afterChange,
                                       print.afterFailure, print.treeDir);
}

LogicalResult
ModuleRunner::State::runManager(mlir::PassManager &manager, DiagKind errorKind,
                                const SourceSpan &where, PassWatcher::Log &log,
                                MlirDiagnostics &caught, DiagnosticSink &sink) {
  caught.setClock(clock.get());
  manager.addInstrumentation(std::make_unique<PassWatcher>(log));
  addPrinting(manager);
  // The verifier runs once for a bubble: after each pass it takes a seventh of
  // a large net's compile time.
  manager.enableVerifier(false);
  bool ran = succeeded(manager.run(*module));
  LogicalResult result = failure(!ran || failed(mlir::verify(*module)));
  bool invalid = ran && failed(result);
  if (invalid && log.ran.size() == 1)
    log.failed = *log.ran.begin();
  if (failed(result) && !caught.hasErrors())
    return sink.error(errorKind, where,
                      "'" + log.failed + "' failed without saying why");
  DiagnosticNote inPass{{},
                        log.failed.empty()
                            ? "the verifier ran after the last of these "
                              "passes; this step's mlir-opt line (--dry-run, "
                              "or its folder) runs it after each"
                            : "in '" + log.failed + "'"};
  NotingSink noting(inPass, sink);
  bool named = failed(result) && errorKind == DiagKind::IrPassFailed &&
               (invalid || !log.failed.empty());
  caught.flushTo(named ? static_cast<DiagnosticSink &>(noting) : sink);
  return result;
}

LogicalResult ModuleRunner::State::run(const PassesAction &action, const Step &,
                                       DiagnosticSink &sink) {
  const PassPipeline *pipeline = prepared.passes(action, sink);
  if (!pipeline)
    return failure();
  mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName());
  pipeline->addTo(manager);
  PassWatcher::Log log;
  MlirDiagnostics caught(context, DiagKind::IrPassFailed, action.where);
  if (failed(runManager(manager, DiagKind::IrPassFailed, action.where, log,
                        caught, sink)))
    return failure();
  for (const auto &[name, where] : pipeline->passes())
    if (log.ran.insert(name).second)
      sink.warning(DiagKind::IrPassNeverRan, where,
                   "'" + name +
                       "' ran on nothing: the module has no operation of the "
                       "kind that it is anchored on");
  return success();
}

LogicalResult ModuleRunner::State::run(const ScheduleAction &action,
                                       const Step &step, DiagnosticSink &sink) {
  const Schedule *schedule = prepared.schedule(action, sink);
  if (!schedule)
    return failure();
  mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName());
  manager.addPass(makeSchedulePass(*schedule));
  bool lists = options.listsCandidates && action.strategies;
  // What chooses writes on the ops, and replaces none of them.
  std::vector<mlir::Operation *> products;
  if (lists)
    products = unchosenProducts(*module);
  PassWatcher::Log log;
  MlirDiagnostics caught(context, DiagKind::IrScheduleFailed, action.where);
  LogicalResult result = runManager(manager, DiagKind::IrScheduleFailed,
                                    action.where, log, caught, sink);
  matches = matchCounts(caught.matches());
  isOptional |= mayDoNothing(caught.matches());
  // Also after a failure: what found nothing is often why.
  if (step.optional.empty())
    reportMatches(caught.matches(), sink);
  if (failed(result))
    return failure();
  if (lists)
    candidates = candidatesOf(products, *module, *schedule, action);
  return checkMatched(step.expectMatched, matches, sink);
}

LogicalResult ModuleRunner::State::run(const PatternsAction &action,
                                       const Step &, DiagnosticSink &sink) {
  const Patterns *patterns = prepared.patterns(action, sink);
  if (!patterns)
    return failure();
  MlirDiagnostics caught(context, DiagKind::IrPatternsFailed, action.where);
  LogicalResult result = patterns->applyTo(*module, sink);
  if (succeeded(result))
    result = mlir::verify(*module);
  caught.flushTo(sink);
  return result;
}

/// What the program writes to its standard output.
FailureOr<std::string>
ModuleRunner::State::runProgram(ArrayRef<std::string> words, StringRef input,
                                const Step &step, DiagnosticSink &sink) {
  if (!options.runCommand)
    return sink.error(DiagKind::IrCommandFailed, step.declaredAt,
                      "'" + (words.empty() ? "" : words.front()) +
                          "' is an external tool; it runs only with "
                          "--allow-exec");
  return options.runCommand(words, input, sink);
}

LogicalResult ModuleRunner::State::runTool(ArrayRef<std::string> words,
                                           StringRef input, const Step &step,
                                           DiagnosticSink &sink) {
  FailureOr<std::string> output = runProgram(words, input, step, sink);
  if (failed(output))
    return failure();
  MlirDiagnostics caught(context, DiagKind::IrCommandFailed, step.declaredAt);
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(
      *output, &context, words.front() + " (standard output)");
  caught.flushTo(sink);
  if (!parsed)
    return failure();
  module = std::move(parsed);
  return success();
}

LogicalResult ModuleRunner::State::run(const CommandAction &action,
                                       const Step &step, DiagnosticSink &sink) {
  return runTool(action.words, moduleText(*module), step, sink);
}

LogicalResult ModuleRunner::State::run(const EmitAction &action,
                                       const Step &step, DiagnosticSink &sink) {
  if (action.format != EmitFormat::Mlir)
    return sink.error(DiagKind::IrWrongStep, step.declaredAt,
                      "this format needs a backend; only 'emit: mlir' writes "
                      "the module as it is");
  if (action.path != "-")
    return writeFileAtomically(action.path,
                               StringRef(action.path).ends_with(".mlirbc")
                                   ? moduleBytecode(*module)
                                   : moduleText(*module),
                               step.declaredAt, sink);
  return writeToStandardOutput(moduleText(*module), step.declaredAt, sink);
}

const ModuleForm &ModuleRunner::State::currentForm() {
  if (!form)
    form = gatherForm(*module);
  return *form;
}

LogicalResult ModuleRunner::State::check(const FormDecl &wanted, StringRef what,
                                         DiagnosticSink &sink) {
  LogicalResult result = checkForm(currentForm(), wanted, what, sink);
  if (wanted.checkFile && failed(checkText(*module, *wanted.checkFile, sink)))
    return failure();
  return result;
}

LogicalResult
ModuleRunner::State::checkAfter(const Step &step,
                                const std::optional<ModuleForm> &before,
                                DiagnosticSink &sink) {
  LogicalResult result = success();
  if (step.ensures)
    result = check(*step.ensures, "ensures", sink);
  if (before && failed(checkPreserved(*before, currentForm(), step.preserves,
                                      step.declaredAt, sink)))
    return failure();
  return result;
}

LogicalResult ModuleRunner::State::perform(const Step &step,
                                           DiagnosticSink &sink) {
  bool imports = std::holds_alternative<ImportAction>(step.action);
  if (!module && !imports)
    return sink.error(DiagKind::IrWrongStep, step.declaredAt,
                      "there is no module yet; a path begins with an "
                      "'ingress:' bubble");
  if (step.requires_ && !imports &&
      failed(check(*step.requires_, "requires", sink)))
    return failure();
  std::optional<ModuleForm> before;
  if (!step.preserves.empty() && !imports)
    before = currentForm();
  if (!std::holds_alternative<EmitAction>(step.action))
    form.reset();
  if (failed(std::visit(
          [&](const auto &action) { return run(action, step, sink); },
          step.action)) ||
      failed(checkAfter(step, before, sink)))
    return failure();
  return checkExpectations(*module, step.expect, sink);
}

/// Also where a step changed nothing: one may want to begin after it.
void ModuleRunner::State::keepResumable(const Step &step,
                                        DiagnosticSink &sink) {
  std::string line = historyOf(step);
  bool resumed =
      std::holds_alternative<ImportAction>(step.action) && !history.empty();
  if (line.empty() || resumed)
    return;
  history.push_back(std::move(line));
  writeResumable(*module, step, history, options.snapshotFolder, sink);
}

ModuleRunner::ModuleRunner(MlirSession &session, ModuleRunnerOptions options)
    : state(std::make_unique<State>(session, std::move(options))) {}

ModuleRunner::~ModuleRunner() = default;

LogicalResult ModuleRunner::prepare(ArrayRef<Step> steps,
                                    DiagnosticSink &sink) {
  bool failedAny = false;
  for (const Step &step : steps) {
    NotingSink noting({step.declaredAt, "in bubble '" + step.bubble + "'"},
                      sink);
    if (const auto *run = std::get_if<RunAction>(&step.action))
      state->generatesInputs |= run->data.generate.has_value();
    state->compiles |= std::holds_alternative<CompileAction>(step.action);
    failedAny |= failed(state->prepared.prepare(step, noting));
  }
  return failure(failedAny);
}

bool ModuleRunner::handles(const Step &step) {
  if (const auto *emit = std::get_if<EmitAction>(&step.action))
    return emit->format == EmitFormat::Mlir;
  return !std::holds_alternative<CompileAction>(step.action) &&
         !std::holds_alternative<RunAction>(step.action);
}

StepOutcome lh::makeOutcome(const Step &step, bool succeeded,
                            std::vector<Diagnostic> diagnostics,
                            double seconds) {
  StepOutcome outcome;
  outcome.step = step.id;
  outcome.status = succeeded ? StepStatus::Passed : StepStatus::Failed;
  for (const Diagnostic &diagnostic : diagnostics) {
    if (succeeded || diagnostic.severity != Severity::Error)
      continue;
    outcome.reason = StringRef(diagnostic.message).split('\n').first.str();
    break;
  }
  outcome.diagnostics = std::move(diagnostics);
  outcome.seconds = seconds;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    outcome.peakBytes = int64_t{usage.ru_maxrss} * 1024;
  return outcome;
}

/// With a clock for passes or a watch on gaps, and a catcher of remarks.
bool ModuleRunner::State::performWatched(const Step &step, StepOutcome &seen,
                                         DiagnosticSink &sink) {
  matches.clear();
  isOptional = !step.optional.empty();
  bool watches = options.watchesGaps && !isReference(step);
  watches |= !step.leavesOut.empty();
  assert(!(options.timing && watches) && "a context has one handler");
  std::optional<GapWatch> gaps;
  if (options.timing)
    clock = std::make_unique<PassClock>(context);
  else if (watches)
    gaps.emplace(context, step.leavesOut);
  RemarkCatcher remarks(context, step.declaredAt);
  bool passed = succeeded(perform(step, sink));
  remarks.flushTo(sink);
  if (clock)
    seen.passes = clock->takeTimes();
  if (gaps)
    seen.gaps = gaps->takeUsed();
  clock.reset();
  return passed;
}

/// The path of the module's text, if that is kept.
std::string ModuleRunner::State::keepSnapshots(const Step &step, bool changed,
                                               DiagnosticSink &sink) {
  if (options.snapshotFolder.empty())
    return "";
  std::string snapshot;
  if (changed)
    snapshot = writeSnapshot(*module, step, options.snapshotFolder, sink);
  keepResumable(step, sink);
  return snapshot;
}

StepOutcome ModuleRunner::run(const Step &step) {
  auto start = std::chrono::steady_clock::now();
  CollectingSink collected;
  NotingSink noting(
      {step.declaredAt, "while running bubble '" + step.bubble + "'"},
      collected);
  auto current = [&] {
    return state->module ? *state->module : mlir::ModuleOp();
  };
  StepObservation observation(step, current(), state->facts);
  StepOutcome seen;
  bool passed = state->performWatched(step, seen, noting);
  observation.finish(current(), state->facts);
  bool changed = observation.changedModule();
  if (passed && !changed && !state->isOptional)
    remarkOnIdleness(step, noting);
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  std::string snapshot;
  if (passed && state->module) {
    inspectModule(*state->module, step, state->options.inspect);
    snapshot = state->keepSnapshots(step, changed, noting);
    observation.remarkOn(*state->module, noting);
  }
  StepOutcome outcome =
      makeOutcome(step, passed, collected.take(), elapsed.count());
  observation.report(current(), passed, state->facts, outcome);
  if (passed && state->options.weighsNodes &&
      std::holds_alternative<ImportAction>(step.action))
    outcome.nodes = nodeWork(current());
  outcome.passes = std::move(seen.passes);
  outcome.gaps = std::move(seen.gaps);
  outcome.matches = state->matches;
  outcome.candidates = std::move(state->candidates);
  outcome.snapshot = std::move(snapshot);
  return outcome;
}

std::unique_ptr<StepRunner::SavedState> ModuleRunner::save() {
  auto saved = std::make_unique<SavedModule>();
  if (state->module)
    saved->module = state->module->clone();
  saved->history = state->history;
  return saved;
}

void ModuleRunner::restore(const SavedState &saved) {
  const auto &from = static_cast<const SavedModule &>(saved);
  state->history = from.history;
  state->forget();
  state->module = from.module ? mlir::OwningOpRef<mlir::ModuleOp>(
                                    mlir::ModuleOp(*from.module).clone())
                              : nullptr;
}

mlir::ModuleOp ModuleRunner::module() {
  state->forget();
  return state->module ? *state->module : mlir::ModuleOp();
}

void ModuleRunner::setModule(mlir::OwningOpRef<mlir::ModuleOp> module) {
  state->forget();
  state->module = std::move(module);
}
