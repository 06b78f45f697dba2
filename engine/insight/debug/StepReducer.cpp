// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a failing step smaller: its passes or schedule, and its module.
#include "insight/debug/StepReducer.h"

#include "compiler/session/PassList.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

StepReducer::StepReducer(Engine &engine, FailureProbe &probe,
                         std::string scratchFolder, std::vector<Step> steps,
                         FailureSignature wanted)
    : engine(engine), probe(probe), scratchFolder(std::move(scratchFolder)),
      all(std::move(steps)), wanted(std::move(wanted)) {}

LogicalResult StepReducer::load(const std::string &path, DiagnosticSink &sink) {
  input = std::make_unique<Reducer>(engine.session());
  if (failed(input->load(path, sink)))
    return failure();
  const auto *schedule = std::get_if<ScheduleAction>(&all.front().action);
  if (!schedule)
    return success();
  Reducer file(engine.session());
  if (succeeded(file.load(schedule->file, sink)))
    scheduleOps = file.operationCount();
  return success();
}

StepOutcome StepReducer::runOnce() {
  ++probes;
  return probe.run(all, *input);
}

bool StepReducer::failsAlike(ArrayRef<Step> steps, const Reducer &on) {
  ++probes;
  StepOutcome outcome = probe.run(steps, on);
  if (probe.wasInterrupted() || signatureOf(outcome) != wanted)
    return false;
  seen = std::move(outcome);
  return true;
}

bool StepReducer::keepIfAlike(std::vector<Step> steps) {
  if (isEnough() || !failsAlike(steps, *input))
    return false;
  all = std::move(steps);
  return true;
}

/// The same passes, whatever the module has to look like before and after.
static Step withoutContract(Step step, std::string pipeline) {
  std::get<PassesAction>(step.action).pipeline = std::move(pipeline);
  step.requires_.reset();
  step.ensures.reset();
  step.expect.clear();
  step.expectMatched.clear();
  return step;
}

/// How many passes from the first on do what they should; all, when what fails
/// is not a pass.
size_t StepReducer::passesThatPass(const Step &step) {
  PassList list(std::get<PassesAction>(step.action).pipeline);
  auto passes = [&](size_t count) {
    ++probes;
    Step prefix = withoutContract(step, list.range(0, count));
    return probe.run(prefix, *input).status == StepStatus::Passed;
  };
  size_t good = 0, bad = list.size() + 1;
  while (good + 1 < bad && !isEnough()) {
    size_t middle = (good + bad) / 2;
    (passes(middle) ? good : bad) = middle;
  }
  return good;
}

std::unique_ptr<Reducer> StepReducer::moduleAfter(const Step &prefix) {
  Step emit;
  emit.bubble = "input";
  emit.action = EmitAction{EmitFormat::Mlir, scratchFolder + "/after.mlirbc",
                           std::nullopt};
  ++probes;
  auto module = std::make_unique<Reducer>(engine.session());
  CollectingSink ignored;
  if (probe.run({prefix, emit}, *input).status != StepStatus::Passed ||
      failed(module->load(scratchFolder + "/after.mlirbc", ignored)))
    return nullptr;
  return module;
}

/// The pass that fails, alone, on the module that it got.
void StepReducer::isolatePass() {
  const Step &step = all.front();
  PassList list(std::get<PassesAction>(step.action).pipeline);
  size_t good = list.size() > 1 ? passesThatPass(step) : 0;
  if (isEnough() || good >= list.size() || list.size() < 2)
    return;
  std::unique_ptr<Reducer> module;
  if (good > 0)
    module = moduleAfter(withoutContract(step, list.range(0, good)));
  Step alone = withoutContract(step, list.range(good, good + 1));
  if (good > 0 && !module)
    return;
  if (!failsAlike(alone, module ? *module : *input))
    return;
  if (module)
    input = std::move(module);
  all = {std::move(alone)};
}

/// Leaves passes out, first many at a time; one always stays, for without any
/// every contract is broken.
void StepReducer::dropPasses() {
  PassList list(std::get<PassesAction>(all.front().action).pipeline);
  llvm::SmallVector<bool> keep(list.size(), true);
  for (size_t chunk = list.size() / 2; chunk > 0; chunk /= 2)
    for (size_t last = list.size(); last > 0;) {
      size_t first = last > chunk ? last - chunk : 0;
      llvm::SmallVector<bool> fewer = keep;
      std::fill(fewer.begin() + first, fewer.begin() + last, false);
      last = first;
      if (fewer == keep || llvm::none_of(fewer, [](bool kept) { return kept; }))
        continue;
      std::vector<Step> steps = all;
      std::get<PassesAction>(steps.front().action).pipeline = list.with(fewer);
      if (keepIfAlike(std::move(steps)))
        keep = fewer;
    }
}

/// The operations of the schedule that are needed. Each candidate is a file of
/// its own: what was parsed of another must not be taken for it.
void StepReducer::reduceSchedule() {
  Reducer file(engine.session());
  CollectingSink ignored;
  if (failed(file.load(std::get<ScheduleAction>(all.front().action).file,
                       ignored)))
    return;
  size_t number = 0;
  auto stillFails = [&] {
    std::vector<Step> steps = all;
    auto &action = std::get<ScheduleAction>(steps.front().action);
    action.file =
        scratchFolder + "/schedule-" + std::to_string(++number) + ".mlir";
    return succeeded(
               writeFileAtomically(action.file, file.text(), {}, ignored)) &&
           keepIfAlike(std::move(steps));
  };
  ReduceLimits limits;
  limits.keepsValues = true;
  limits.isEnough = isEnough;
  file.reduce(stillFails, limits);
  scheduleOps = file.operationCount();
}

template <typename Action> bool StepReducer::does() const {
  return llvm::any_of(all, [](const Step &step) {
    return std::holds_alternative<Action>(step.action);
  });
}

void StepReducer::reduce(const std::function<bool()> &enough) {
  isEnough = [&] { return enough() || probe.wasInterrupted(); };
  if (std::holds_alternative<PassesAction>(all.front().action)) {
    isolatePass();
    dropPasses();
  }
  if (std::holds_alternative<ScheduleAction>(all.front().action))
    reduceSchedule();
  ReduceLimits limits;
  limits.addsArguments = !does<CompileAction>();
  limits.changesValues = !does<RunAction>();
  limits.isEnough = isEnough;
  input->reduce([&] { return failsAlike(all, *input); }, limits);
}

ReductionCounts StepReducer::counts() const {
  ReductionCounts counts;
  if (const auto *passes = std::get_if<PassesAction>(&all.front().action))
    counts.passes = PassList(passes->pipeline).size();
  counts.scheduleOps = scheduleOps;
  counts.moduleOps = input->operationCount();
  return counts;
}
