// One step on the module: what it does, what it says, what it changed.
#include "ir/ModuleRunner.h"

#include "ingress/MlirImporter.h"
#include "ingress/OnnxImporter.h"
#include "ir/ContractionFlops.h"
#include "ir/CountModule.h"
#include "ir/ExactRange.h"
#include "ir/FileChecker.h"
#include "ir/FormChecker.h"
#include "ir/FormGatherer.h"
#include "ir/MatchChecks.h"
#include "ir/MatchedOps.h"
#include "ir/MlirDiagnostics.h"
#include "ir/ModuleFile.h"
#include "ir/ModuleText.h"
#include "ir/NotingSink.h"
#include "ir/OpChoices.h"
#include "ir/OrderedInputs.h"
#include "ir/PassClock.h"
#include "ir/PassPipeline.h"
#include "ir/RemarkCatcher.h"
#include "ir/Schedule.h"
#include "ir/Snapshot.h"
#include "support/FileSystem.h"
#include "support/StandardStreams.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/Format.h"

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

/// A prepared action; null where preparing failed (and was reported).
using PreparedPasses = std::optional<PassPipeline>;
using PreparedSchedule = std::unique_ptr<Schedule>;

struct ModuleRunner::State {
  State(MlirSession &session, ModuleRunnerOptions options)
      : context(session.context()), options(std::move(options)),
        store(session.context(), this->options.timing) {}

  // By text and place: steps that come from one bubble share an entry.
  const PreparedPasses &prepared(const PassesAction &action,
                                 DiagnosticSink &sink);
  const PreparedSchedule &prepared(const ScheduleAction &action,
                                   DiagnosticSink &sink);

  LogicalResult import(const ImportAction &, const Step &, DiagnosticSink &);
  LogicalResult run(const ImportAction &, const Step &, DiagnosticSink &);
  LogicalResult run(const PassesAction &, const Step &, DiagnosticSink &);
  LogicalResult run(const ScheduleAction &, const Step &, DiagnosticSink &);
  LogicalResult run(const CommandAction &, const Step &, DiagnosticSink &);
  LogicalResult run(const EmitAction &, const Step &, DiagnosticSink &);
  template <typename Action>
  LogicalResult run(const Action &, const Step &step, DiagnosticSink &sink) {
    return sink.error(DiagKind::IrWrongStep, step.declaredAt,
                      "this step needs a backend; it can't run on a module");
  }

  LogicalResult prepareChecks(const Step &step, DiagnosticSink &sink);
  LogicalResult prepareSchedule(const ScheduleAction &action, const Step &step,
                                DiagnosticSink &sink);

  LogicalResult runTool(ArrayRef<std::string> words, StringRef input,
                        const Step &step, DiagnosticSink &sink);
  LogicalResult runManager(mlir::PassManager &manager, DiagKind errorKind,
                           const SourceSpan &where, PassWatcher::Log &log,
                           MlirDiagnostics &caught, DiagnosticSink &sink);
  void addPrinting(mlir::PassManager &manager);
  LogicalResult perform(const Step &step, DiagnosticSink &sink);
  void keepResumable(const Step &step, DiagnosticSink &sink);
  const ModuleForm &currentForm();
  LogicalResult check(const FormDecl &form, StringRef what,
                      DiagnosticSink &sink);
  LogicalResult checkAfter(const Step &step,
                           const std::optional<ModuleForm> &before,
                           DiagnosticSink &sink);

  mlir::MLIRContext &context;
  ModuleRunnerOptions options;
  ScheduleStore store;
  std::map<std::string, PreparedPasses> passes;
  std::map<std::string, PreparedSchedule> schedules;
  std::set<std::string> checksRead;  ///< check files, with their prefixes
  std::set<std::string> fitsChecked; ///< schedules, with the contract's place
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ModuleHistory history; ///< of `module`, where snapshots are kept
  /// Whether inputs are generated: then the module says what to draw.
  bool generatesInputs = false;
  /// Of the module after the last step: the next one's "before". Gone when
  /// someone else may have changed the module.
  std::optional<mlir::OperationFingerPrint> fingerPrint;
  /// Of the module as it is; gathered when a contract asks, gone likewise.
  std::optional<ModuleForm> form;
  std::optional<ModuleCount> count; ///< of the same module
  std::unique_ptr<PassClock> clock; ///< of the step that runs, if asked for
  std::vector<MatchCount> matches;  ///< of the step that runs
  bool isOptional = false;          ///< it may change nothing
};

static std::string placeKey(const SourceSpan &where) {
  return where.file + ":" + std::to_string(where.line) + ":" +
         std::to_string(where.column) + "\n";
}

/// Tells all values apart, 1 from 1.0 and from "1" too.
static std::string textOf(const Value &value) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << value.index() << ":";
  if (const auto *list = std::get_if<std::vector<int64_t>>(&value))
    llvm::interleaveComma(*list, out);
  else if (const auto *word = std::get_if<std::string>(&value))
    out << *word;
  else if (const auto *flag = std::get_if<bool>(&value))
    out << *flag;
  else if (const auto *number = std::get_if<double>(&value))
    out << llvm::format("%a", *number);
  else
    out << std::get<int64_t>(value);
  return text;
}

static std::string keyOf(const ScheduleAction &action) {
  std::string key = placeKey(action.where) + action.file + "\n" + action.entry;
  for (const std::string &library : action.libraries)
    key += "\n" + library;
  for (const BoundParameter &parameter : action.parameters)
    key += "\n" + parameter.name.value + "=" + textOf(parameter.value);
  return key;
}

const PreparedPasses &ModuleRunner::State::prepared(const PassesAction &action,
                                                    DiagnosticSink &sink) {
  auto [slot, isNew] =
      passes.try_emplace(placeKey(action.where) + action.pipeline);
  if (!isNew)
    return slot->second;
  auto parsed =
      PassPipeline::parse(action.pipeline, action.where, context, sink);
  if (succeeded(parsed)) {
    // Some passes bring extensions; workers must not be the first to load them.
    mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName());
    parsed->addTo(manager);
    mlir::DialectRegistry registry;
    manager.getDependentDialects(registry);
    context.appendDialectRegistry(registry);
    slot->second = std::move(*parsed);
  }
  return slot->second;
}

const PreparedSchedule &
ModuleRunner::State::prepared(const ScheduleAction &action,
                              DiagnosticSink &sink) {
  auto [slot, isNew] = schedules.try_emplace(keyOf(action));
  if (!isNew)
    return slot->second;
  auto loaded = store.load(action, sink);
  if (succeeded(loaded))
    slot->second = std::move(*loaded);
  return slot->second;
}

LogicalResult ModuleRunner::State::import(const ImportAction &action,
                                          const Step &step,
                                          DiagnosticSink &sink) {
  if (action.kind == IngressKind::Command)
    return runTool(action.command, "", step, sink);
  MlirDiagnostics caught(context, DiagKind::IngressInvalidMlir,
                         step.declaredAt);
  FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> imported = failure();
  if (action.kind == IngressKind::Mlir) {
    imported = importMlir(action.path, context, sink);
  } else {
    OnnxImportOptions onnx;
    onnx.path = action.path;
    if (action.bindShapes) {
      onnx.bindShapes.emplace();
      for (const InputShape &input : *action.bindShapes)
        onnx.bindShapes->push_back({input.name, input.shape});
    }
    imported = importOnnx(onnx, context, sink);
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
  if (!generatesInputs || !history.empty())
    return success();
  markExactRange(*module);
  markOrderedInputs(*module);
  markUndefinedOnSpecials(*module);
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
  LogicalResult result = manager.run(*module);
  if (failed(result) && !caught.hasErrors())
    return sink.error(errorKind, where,
                      "'" + log.failed + "' failed without saying why");
  DiagnosticNote inPass{{}, "in '" + log.failed + "'"};
  NotingSink noting(inPass, sink);
  bool named = failed(result) && errorKind == DiagKind::IrPassFailed &&
               !log.failed.empty();
  caught.flushTo(named ? static_cast<DiagnosticSink &>(noting) : sink);
  return result;
}

LogicalResult ModuleRunner::State::run(const PassesAction &action, const Step &,
                                       DiagnosticSink &sink) {
  const PreparedPasses &pipeline = prepared(action, sink);
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
  const PreparedSchedule &schedule = prepared(action, sink);
  if (!schedule)
    return failure();
  mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName());
  manager.addPass(makeSchedulePass(*schedule));
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
  return checkMatched(step.expectMatched, matches, sink);
}

LogicalResult ModuleRunner::State::runTool(ArrayRef<std::string> words,
                                           StringRef input, const Step &step,
                                           DiagnosticSink &sink) {
  if (!options.runCommand)
    return sink.error(DiagKind::IrCommandFailed, step.declaredAt,
                      "'" + (words.empty() ? "" : words.front()) +
                          "' is an external tool; it runs only with "
                          "--allow-exec");
  auto output = options.runCommand(words, input, sink);
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
    if (const auto *passes = std::get_if<PassesAction>(&step.action))
      failedAny |= !state->prepared(*passes, noting);
    else if (const auto *schedule = std::get_if<ScheduleAction>(&step.action))
      failedAny |= failed(state->prepareSchedule(*schedule, step, noting));
    else if (const auto *run = std::get_if<RunAction>(&step.action))
      state->generatesInputs |= run->data.generate.has_value();
    failedAny |= failed(state->prepareChecks(step, noting));
  }
  return failure(failedAny);
}

LogicalResult ModuleRunner::State::prepareSchedule(const ScheduleAction &action,
                                                   const Step &step,
                                                   DiagnosticSink &sink) {
  const PreparedSchedule &schedule = prepared(action, sink);
  if (!schedule)
    return failure();
  if (!step.requires_ ||
      !fitsChecked.insert(keyOf(action) + placeKey(step.requires_->where))
           .second)
    return success();
  return checkMatchesFit(schedule->entrySequence(), *step.requires_, sink);
}

LogicalResult ModuleRunner::State::prepareChecks(const Step &step,
                                                 DiagnosticSink &sink) {
  std::vector<CheckFile> checks = step.expect;
  for (const auto *form : {&step.requires_, &step.ensures})
    if (*form && (*form)->checkFile)
      checks.push_back(*(*form)->checkFile);
  LogicalResult result = success();
  for (const CheckFile &check : checks)
    if (checksRead.insert(check.file + ":" + check.prefix).second &&
        failed(readCheckFile(check, sink)))
      result = failure();
  return result;
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

/// Passes and schedules are there to change something.
static void remarkOnIdleness(const Step &step, DiagnosticSink &sink) {
  auto remark = [&](const SourceSpan &where, const std::string &who) {
    sink.emit({DiagKind::IrChangedNothing,
               Severity::Remark,
               where,
               who + " changed nothing",
               {}});
  };
  if (const auto *schedule = std::get_if<ScheduleAction>(&step.action))
    remark(schedule->where, "the schedule '" + schedule->entry + "'");
  else if (const auto *passes = std::get_if<PassesAction>(&step.action))
    remark(passes->where, "these passes");
}

StepOutcome ModuleRunner::run(const Step &step) {
  auto start = std::chrono::steady_clock::now();
  CollectingSink collected;
  NotingSink noting(
      {step.declaredAt, "while running bubble '" + step.bubble + "'"},
      collected);
  // Fingerprints are of addresses, so they only compare one module object.
  bool replaces = std::holds_alternative<ImportAction>(step.action) ||
                  std::holds_alternative<CommandAction>(step.action);
  // They cost a walk over the module; an emit leaves it as it is.
  bool emits = std::holds_alternative<EmitAction>(step.action);
  std::optional<mlir::OperationFingerPrint> before;
  if (!replaces && !emits)
    before = state->fingerPrint;
  if (!replaces && !emits && !before && state->module)
    before.emplace(*state->module);
  std::vector<PlainContraction> left;
  ContractionFlops had;
  std::vector<OpChoice> chosen;
  if (!replaces && !emits && state->module) {
    chosen = choicesIn(*state->module);
    left = plainContractions(*state->module);
    had = contractionFlops(*state->module);
  }
  std::optional<ModuleCount> countBefore;
  if (!replaces && !emits && state->module)
    countBefore = state->fingerPrint && state->count
                      ? state->count
                      : countModule(*state->module);
  state->matches.clear();
  state->isOptional = !step.optional.empty();
  if (state->options.timing)
    state->clock = std::make_unique<PassClock>(state->context);
  RemarkCatcher remarks(state->context, step.declaredAt);
  bool passed = succeeded(state->perform(step, noting));
  remarks.flushTo(noting);
  std::vector<PassTime> times;
  if (state->clock)
    times = state->clock->takeTimes();
  state->clock.reset();
  if (!emits)
    state->fingerPrint.reset();
  if (!emits && state->module)
    state->fingerPrint.emplace(*state->module);
  bool changed = !emits && (!before || !state->fingerPrint ||
                            *before != *state->fingerPrint);
  if (!emits && state->module)
    state->count = changed ? countModule(*state->module) : countBefore;
  if (passed && !changed && !state->isOptional)
    remarkOnIdleness(step, noting);
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  if (passed && state->module)
    inspectModule(*state->module, step, state->options.inspect);
  std::string snapshot;
  if (!state->options.snapshotFolder.empty() && passed && changed)
    snapshot = writeSnapshot(*state->module, step,
                             state->options.snapshotFolder, noting);
  if (!state->options.snapshotFolder.empty() && passed)
    state->keepResumable(step, noting);
  std::optional<ContractionFlops> flops;
  if (passed && state->module) {
    flops = contractionFlops(*state->module);
    // A reference is meant to be plain.
    if (!isReference(step))
      remarkOnPlainLoops(left, had, *flops, noting);
  }
  bool imported = passed && std::holds_alternative<ImportAction>(step.action);
  if (imported)
    remarkOnUncounted(*state->module, step.declaredAt, noting);
  StepOutcome outcome =
      makeOutcome(step, passed, collected.take(), elapsed.count());
  outcome.changedModule = changed;
  outcome.passes = std::move(times);
  outcome.before = std::move(countBefore);
  if (!emits && state->module)
    outcome.after = state->count;
  outcome.matches = state->matches;
  if (passed && changed && state->module)
    outcome.choices = madeBetween(chosen, choicesIn(*state->module));
  outcome.snapshot = std::move(snapshot);
  if (flops)
    outcome.kernels = std::move(flops->kernels);
  if (imported)
    outcome.work = contractionWork(*state->module);
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
  state->form.reset();
  state->module = from.module ? mlir::OwningOpRef<mlir::ModuleOp>(
                                    mlir::ModuleOp(*from.module).clone())
                              : nullptr;
}

mlir::ModuleOp ModuleRunner::module() {
  state->fingerPrint.reset();
  state->form.reset();
  return state->module ? *state->module : mlir::ModuleOp();
}

mlir::OwningOpRef<mlir::ModuleOp> ModuleRunner::takeModule() {
  state->fingerPrint.reset();
  state->form.reset();
  return std::move(state->module);
}

void ModuleRunner::setModule(mlir::OwningOpRef<mlir::ModuleOp> module) {
  state->fingerPrint.reset();
  state->form.reset();
  state->module = std::move(module);
}
