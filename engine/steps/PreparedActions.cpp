// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes, schedules and check files, parsed before anything runs.
#include "steps/PreparedActions.h"

#include "compiler/session/MatchedOps.h"
#include "steps/FileChecker.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/Format.h"

using namespace lh;

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
  key += "\n" + action.tuned;
  if (action.kernel)
    key += "\n" + action.kernel->file + "\n" + action.kernelTarget->name;
  return key;
}

LogicalResult PreparedActions::prepare(const Step &step, DiagnosticSink &sink) {
  LogicalResult result = success();
  if (const auto *action = std::get_if<PassesAction>(&step.action))
    result = success(passes(*action, sink));
  else if (const auto *action = std::get_if<ScheduleAction>(&step.action))
    result = prepareSchedule(*action, step, sink);
  else if (const auto *action = std::get_if<PatternsAction>(&step.action))
    result = success(patterns(*action, sink));
  return succeeded(prepareChecks(step, sink)) ? result : failure();
}

const PassPipeline *PreparedActions::passes(const PassesAction &action,
                                            DiagnosticSink &sink) {
  auto [slot, isNew] =
      pipelines.try_emplace(placeKey(action.where) + action.pipeline);
  std::optional<PassPipeline> &pipeline = slot->second;
  if (!isNew)
    return pipeline ? &*pipeline : nullptr;
  auto parsed =
      PassPipeline::parse(action.pipeline, action.where, context, sink);
  if (failed(parsed))
    return nullptr;
  // Some passes bring extensions; workers must not be the first to load them.
  mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName());
  parsed->addTo(manager);
  mlir::DialectRegistry registry;
  manager.getDependentDialects(registry);
  context.appendDialectRegistry(registry);
  return &pipeline.emplace(std::move(*parsed));
}

const Schedule *PreparedActions::schedule(const ScheduleAction &action,
                                          DiagnosticSink &sink) {
  auto [slot, isNew] = schedules.try_emplace(keyOf(action));
  if (isNew)
    if (auto loaded = store.load(action, sink); succeeded(loaded))
      slot->second = std::move(*loaded);
  return slot->second.get();
}

const Patterns *PreparedActions::patterns(const PatternsAction &action,
                                          DiagnosticSink &sink) {
  auto [slot, isNew] =
      patternFiles.try_emplace(placeKey(action.where) + action.file);
  if (isNew)
    if (auto read = Patterns::read(action, context, translate, sink);
        succeeded(read))
      slot->second = std::move(*read);
  return slot->second.get();
}

LogicalResult PreparedActions::prepareSchedule(const ScheduleAction &action,
                                               const Step &step,
                                               DiagnosticSink &sink) {
  const Schedule *prepared = schedule(action, sink);
  if (!prepared)
    return failure();
  if (!step.requires_ ||
      !fitsChecked.insert(keyOf(action) + placeKey(step.requires_->where))
           .second)
    return success();
  return checkMatchesFit(prepared->entrySequence(), *step.requires_, sink);
}

LogicalResult PreparedActions::prepareChecks(const Step &step,
                                             DiagnosticSink &sink) {
  LogicalResult result = success();
  for (const CheckFile &check : step.checkFiles())
    if (checksRead.insert(check.file + ":" + check.prefix).second &&
        failed(readCheckFile(check, sink)))
      result = failure();
  return result;
}
