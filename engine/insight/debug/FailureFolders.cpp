// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What failing steps leave behind: a folder each, which repeats it.
#include "insight/debug/FailureFolders.h"

#include "compiler/session/MlirOptLine.h"
#include "compiler/session/ModuleFile.h"
#include "core/exec/Executor.h"
#include "core/plan/Expectation.h"
#include "core/plan/ReproducerManifest.h"
#include "core/plan/SubPlan.h"
#include "core/support/FileNames.h"
#include "core/support/FileSystem.h"
#include "insight/debug/ReproducerFolder.h"
#include "steps/ExternalPrograms.h"
#include "steps/GraphLoader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace lh;

constexpr size_t mostFolders = 20;
constexpr const char *defaultFolder = "lh-failures";

namespace {

/// The steps of a failing bubble, and the plan that makes the module they got.
struct Failing {
  StepId step;               ///< which failed
  std::vector<StepId> again; ///< to be repeated: it, and what it runs
  std::optional<StepId> before;
  /// In the plan of what is done again.
  std::optional<StepId> text, bytecode;
};

/// Does again what came before failing steps, and writes their folders.
class FolderWriter {
public:
  FolderWriter(RunRecord &record, Engine &engine,
               const ManifestRunOptions &options, const std::string &folder,
               StringRef scratch, DiagnosticSink &sink)
      : record(record), plan(record.plan), engine(engine), options(options),
        folder(folder), scratch(scratch), sink(sink) {}

  void write();

private:
  void find();
  Failing failingAt(StepId step) const;
  void planPrefixes();
  StepId again(StepId step);
  StepId addEmit(StepId parent, StringRef ending);
  RunRecord runPrefixes();
  bool readInput(const Failing &failing, const RunRecord &prefixes,
                 ReproducerContents &contents);
  Reproducer recordOf(const Failing &failing) const;
  void writeOne(const Failing &failing, const RunRecord &prefixes);
  std::string placeOf(const StepId step) const;

  RunRecord &record;
  const Plan &plan;
  Engine &engine;
  const ManifestRunOptions &options;
  const std::string &folder;
  StringRef scratch;
  DiagnosticSink &sink;
  std::vector<Failing> failing;
  Plan prefixes;
  std::map<StepId, StepId> known; ///< a step of `plan` in `prefixes`
};

} // namespace

std::string lh::defaultFailuresFolder(StringRef manifestName) {
  return std::string(defaultFolder) + "/" + fileSafe(manifestName);
}

Failing FolderWriter::failingAt(StepId id) const {
  Failing found;
  found.step = id;
  const Step &step = plan.steps[id];
  // Code runs after it was compiled: from the same module.
  if (std::holds_alternative<RunAction>(step.action) && step.parent)
    found.again.push_back(*step.parent);
  found.again.push_back(id);
  found.before = plan.steps[found.again.front()].parent;
  return found;
}

void FolderWriter::find() {
  std::vector<bool> announced = stepsExpectedToFail(plan);
  for (const StepOutcome &outcome : record.outcomes)
    if (isFailure(outcome.status) && !announced[outcome.step] &&
        failing.size() < mostFolders)
      failing.push_back(failingAt(outcome.step));
}

/// The same step, below the same ones, without what only has an effect outside.
StepId FolderWriter::again(StepId id) {
  auto found = known.find(id);
  if (found != known.end())
    return found->second;
  const Step &step = plan.steps[id];
  std::optional<StepId> parent;
  if (step.parent)
    parent = again(*step.parent);
  bool hasNoModuleOfItsOwn =
      std::holds_alternative<EmitAction>(step.action) ||
      std::holds_alternative<CompileAction>(step.action) ||
      std::holds_alternative<RunAction>(step.action);
  if (parent && hasNoModuleOfItsOwn)
    return known[id] = *parent;
  return known[id] = appendStep(prefixes, parent, step);
}

StepId FolderWriter::addEmit(StepId parent, StringRef ending) {
  Step emit;
  emit.bubble = "input";
  emit.action = EmitAction{
      EmitFormat::Mlir,
      (scratch + "/before-" + Twine(prefixes.steps.size()) + ending).str(),
      std::nullopt};
  return appendStep(prefixes, parent, std::move(emit));
}

void FolderWriter::planPrefixes() {
  for (Failing &one : failing) {
    if (!one.before)
      continue;
    StepId before = again(*one.before);
    one.text = addEmit(before, ".mlir");
    one.bytecode = addEmit(*one.text, ".mlirbc");
  }
}

RunRecord FolderWriter::runPrefixes() {
  ExecOptions exec;
  exec.jobs = options.jobs;
  exec.keepGoing = true;
  exec.inProcess = options.inProcess;
  exec.scratchFolder = scratch.str();
  RunObserver nobody;
  std::unique_ptr<EngineStepRunner> runner = engine.quietRunner(scratch);
  // All steps: what runs later decides how a model is imported. It was
  // prepared before, so there is nothing to report.
  CollectingSink known;
  (void)runner->prepare(plan.steps, known);
  return execute(prefixes, *runner, exec, nobody);
}

/// Prefers text, which people read, where it says the same.
bool FolderWriter::readInput(const Failing &one, const RunRecord &done,
                             ReproducerContents &contents) {
  if (!one.before)
    return true;
  auto read = [&](StepId emitted) -> bool {
    const auto &emit = std::get<EmitAction>(prefixes.steps[emitted].action);
    if (done.outcomes[emitted].status != StepStatus::Passed)
      return false;
    auto buffer = llvm::MemoryBuffer::getFile(emit.path);
    if (buffer)
      contents.input = (*buffer)->getBuffer().str();
    return static_cast<bool>(buffer);
  };
  const auto &text = std::get<EmitAction>(prefixes.steps[*one.text].action);
  if (read(*one.text) && isModuleFile(text.path, engine.session()))
    return true;
  contents.isBytecode = true;
  return read(*one.bytecode);
}

Reproducer FolderWriter::recordOf(const Failing &one) const {
  const Step &step = plan.steps[one.step];
  const StepOutcome &outcome = record.outcomes[one.step];
  Reproducer made;
  made.bubble = step.bubble;
  made.failure = signatureOf(outcome);
  made.reason = outcome.reason;
  made.from = plan.file;
  for (const PlannedResult &result : plan.results) {
    std::vector<StepId> path = plan.pathTo(result.leaf);
    if (!result.notApplicable.empty() || !result.skipped.empty() ||
        !llvm::is_contained(path, one.step))
      continue;
    made.case_ = result.key.caseName;
    made.target = result.key.target;
    made.pipeline = result.key.pipeline;
    break;
  }
  for (StepId id : plan.pathTo(one.step)) {
    const std::string &bubble = plan.steps[id].bubble;
    if (made.path.empty() || made.path.back() != bubble)
      made.path.push_back(bubble);
  }
  made.position = made.path.size() - 1;
  made.plugins = options.graph.plugins;
  made.libraryDirs = options.graph.libraryDirs;
  for (std::vector<std::string> *paths : {&made.plugins, &made.libraryDirs})
    for (std::string &path : *paths)
      path = absolutePath(path, workingDirectory());
  // The target's file is copied, and a copy is not an installed target.
  made.allowExec = llvm::any_of(one.again, [&](StepId id) {
    return startsProgram(plan.steps[id], engine.host());
  });
  made.threads = options.graph.threads;
  made.device = options.graph.device;
  made.stepTimeout = options.stepTimeout;
  made.memoryLimitMiB = options.memoryLimitMiB;
  made.mlirOpt = mlirOptLine(step, engine.session());
  return made;
}

std::string FolderWriter::placeOf(StepId step) const {
  return folder + "/" + std::to_string(step) + "-" +
         fileSafe(plainBubbleName(plan.steps[step].bubble));
}

void FolderWriter::writeOne(const Failing &one, const RunRecord &done) {
  const Step &step = plan.steps[one.step];
  ReproducerContents contents;
  contents.record = recordOf(one);
  contents.dialects = plan.dialects;
  for (StepId id : one.again)
    contents.steps.push_back(plan.steps[id]);
  if (!readInput(one, done, contents))
    return sink.warning(DiagKind::DriverNotReproduced, step.declaredAt,
                        "the bubbles before '" + step.bubble +
                            "' did not do the same when they were done again, "
                            "so its failure leaves no folder");
  std::string place = placeOf(one.step);
  CollectingSink trouble;
  if (succeeded(writeReproducer(contents, place, trouble))) {
    record.outcomes[one.step].reproducer = place;
    return;
  }
  for (Diagnostic &diagnostic : trouble.take()) {
    diagnostic.severity = Severity::Warning;
    sink.emit(std::move(diagnostic));
  }
}

/// Folders here are nobody's sources: version control shall not see them.
static void hideFromGit(const std::string &folder) {
  std::string ignore = folderOf(folder) + "/.gitignore";
  CollectingSink notNeeded;
  if (StringRef(folderOf(folder)).ends_with(defaultFolder))
    (void)writeFileAtomically(ignore, "*\n", {}, notNeeded);
}

void FolderWriter::write() {
  find();
  if (failing.empty())
    return;
  planPrefixes();
  RunRecord done = runPrefixes();
  record.interrupted |= done.interrupted;
  if (done.interrupted)
    return;
  hideFromGit(folder);
  for (const Failing &one : failing)
    writeOne(one, done);
}

void lh::leaveReproducers(RunRecord &record, Engine &engine,
                          const ManifestRunOptions &options,
                          const std::string &folder, StringRef scratch,
                          DiagnosticSink &sink) {
  if (!record.interrupted)
    FolderWriter(record, engine, options, folder, scratch, sink).write();
}
