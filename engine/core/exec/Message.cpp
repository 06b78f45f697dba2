// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What workers tell the coordinator, as text.
#include "core/exec/Message.h"

#include "core/exec/JsonFields.h"

#include <cmath>

using namespace lh;
namespace json = llvm::json;

static json::Value toJson(StringRef text) { return json::fixUTF8(text); }

static json::Value toJson(const SourceSpan &span) {
  return json::Array{toJson(StringRef(span.file)), span.line, span.column,
                     span.length};
}

static json::Value toJson(const Diagnostic &diagnostic) {
  json::Array notes;
  for (const DiagnosticNote &note : diagnostic.notes)
    notes.push_back(json::Object{{"where", toJson(note.where)},
                                 {"message", toJson(note.message)}});
  return json::Object{{"kind", kindName(diagnostic.kind)},
                      {"severity", static_cast<int>(diagnostic.severity)},
                      {"where", toJson(diagnostic.where)},
                      {"message", toJson(diagnostic.message)},
                      {"notes", std::move(notes)}};
}

static json::Array toJson(ArrayRef<MatchCount> matches) {
  json::Array list;
  for (const MatchCount &match : matches)
    list.push_back(json::Object{{"where", toJson(match.where)},
                                {"operations", match.operations},
                                {"op", toJson(StringRef(match.op))},
                                {"optional", match.isOptional}});
  return list;
}

static json::Array toJson(ArrayRef<OpChoice> choices) {
  json::Array list;
  for (const OpChoice &choice : choices) {
    json::Object numbers;
    for (const auto &[name, value] : choice.numbers)
      numbers[json::fixUTF8(name)] = toJson(StringRef(value));
    list.push_back(
        json::Object{{"op", toJson(StringRef(choice.op))},
                     {"name", toJson(StringRef(choice.name))},
                     {"sizes", toJson(StringRef(choice.sizes))},
                     {"where", toJson(choice.where)},
                     {"strategy", toJson(StringRef(choice.strategy))},
                     {"rule", toJson(StringRef(choice.rule))},
                     {"numbers", std::move(numbers)}});
  }
  return list;
}

static json::Value toJson(const ModuleCount &count) {
  json::Object operations;
  for (const auto &[dialect, number] : count.operations)
    operations[json::fixUTF8(dialect)] = number;
  return json::Object{{"operations", std::move(operations)},
                      {"constantBytes", count.constantBytes}};
}

static double finiteOrZero(double number) {
  return std::isfinite(number) ? number : 0;
}

static json::Array toJson(ArrayRef<PassTime> passes) {
  json::Array list;
  for (const PassTime &pass : passes)
    list.push_back(json::Array{toJson(StringRef(pass.name)),
                               int64_t{pass.depth}, finiteOrZero(pass.begin),
                               finiteOrZero(pass.seconds)});
  return list;
}

static json::Array toJson(ArrayRef<OutputFile> files) {
  json::Array list;
  for (const OutputFile &file : files)
    list.push_back(json::Array{toJson(StringRef(file.name)),
                               toJson(StringRef(file.path)),
                               toJson(StringRef(file.dtype))});
  return list;
}

static json::Value toJson(const ContractionWork &work) {
  json::Object operations;
  for (const auto &[dtype, count] : work.operations)
    operations[dtype] = finiteOrZero(count);
  return json::Object{{"operations", std::move(operations)},
                      {"open", work.isOpen}};
}

static json::Value toJson(const KernelShare &share) {
  json::Object kernels;
  for (const auto &[name, count] : share.kernels)
    kernels[json::fixUTF8(name)] = finiteOrZero(count);
  return json::Object{{"without_kernel", finiteOrZero(share.withoutKernel)},
                      {"kernels", std::move(kernels)}};
}

static json::Value toJson(const ArithmeticCount &count) {
  json::Object calls;
  for (const auto &[name, number] : count.unknownCalls)
    calls[json::fixUTF8(name)] = number;
  return json::Object{{"operations", finiteOrZero(count.operations)},
                      {"vectorised", finiteOrZero(count.vectorised)},
                      {"instructions", finiteOrZero(count.instructions)},
                      {"inVectors", finiteOrZero(count.vectorInstructions)},
                      {"calls", std::move(calls)}};
}

static json::Value toJson(const StepOutcome &outcome) {
  json::Array diagnostics, runSeconds;
  for (const Diagnostic &diagnostic : outcome.diagnostics)
    diagnostics.push_back(toJson(diagnostic));
  for (double seconds : outcome.runSeconds)
    runSeconds.push_back(finiteOrZero(seconds));
  json::Object object{{"step", static_cast<int64_t>(outcome.step)},
                      {"status", static_cast<int>(outcome.status)},
                      {"reason", toJson(outcome.reason)},
                      {"diagnostics", std::move(diagnostics)},
                      {"begin", finiteOrZero(outcome.begin)},
                      {"seconds", finiteOrZero(outcome.seconds)},
                      {"peakBytes", outcome.peakBytes},
                      {"changed", outcome.changedModule},
                      {"cache", static_cast<int>(outcome.cache)},
                      {"cacheNote", toJson(StringRef(outcome.cacheNote))},
                      {"matches", toJson(outcome.matches)},
                      {"choices", toJson(outcome.choices)},
                      {"snapshot", toJson(StringRef(outcome.snapshot))},
                      {"runSeconds", std::move(runSeconds)},
                      {"inputs", toJson(outcome.inputs)},
                      {"outputs", toJson(outcome.outputs)},
                      {"log", toJson(outcome.log)}};
  if (outcome.kernels)
    object["kernels"] = toJson(*outcome.kernels);
  if (outcome.arithmetic)
    object["arithmetic"] = toJson(*outcome.arithmetic);
  if (outcome.work)
    object["work"] = toJson(*outcome.work);
  if (outcome.before)
    object["before"] = toJson(*outcome.before);
  if (outcome.after)
    object["after"] = toJson(*outcome.after);
  if (!outcome.passes.empty())
    object["passes"] = toJson(outcome.passes);
  return object;
}

std::string lh::encode(const Message &message) {
  json::Value value = nullptr;
  if (const auto *started = std::get_if<StepStarted>(&message))
    value = json::Object{{"started", static_cast<int64_t>(started->step)}};
  else if (const auto *finished = std::get_if<StepFinished>(&message))
    value = json::Object{{"finished", toJson(finished->outcome)}};
  else if (const auto *ended = std::get_if<WorkerEnded>(&message))
    value = json::Object{
        {"ended", json::Array{static_cast<int64_t>(ended->worker),
                              static_cast<int64_t>(ended->status)}}};
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

static SourceSpan spanFrom(const json::Object &object) {
  SourceSpan span;
  if (const json::Array *where = object.getArray("where"))
    span = {textAt(*where, 0), numberAt(*where, 1), numberAt(*where, 2),
            numberAt(*where, 3)};
  return span;
}

static std::optional<Diagnostic> diagnosticFrom(const json::Object &object) {
  std::optional<StringRef> name = object.getString("kind");
  for (DiagKind kind : allDiagKinds()) {
    if (name != kindName(kind))
      continue;
    Diagnostic diagnostic{kind,
                          Severity::Error,
                          spanFrom(object),
                          textFrom(object, "message"),
                          {}};
    diagnostic.severity =
        static_cast<Severity>(object.getInteger("severity").value_or(0));
    if (const json::Array *notes = object.getArray("notes"))
      for (const json::Value &note : *notes)
        if (const json::Object *fields = note.getAsObject())
          diagnostic.notes.push_back(
              {spanFrom(*fields), textFrom(*fields, "message")});
    return diagnostic;
  }
  return std::nullopt;
}

static std::vector<OutputFile> filesAt(const json::Object &object,
                                       StringRef name) {
  std::vector<OutputFile> files;
  if (const json::Array *list = object.getArray(name))
    for (const json::Value &item : *list)
      if (const json::Array *fields = item.getAsArray())
        files.push_back(
            {textAt(*fields, 0), textAt(*fields, 1), textAt(*fields, 2)});
  return files;
}

static std::optional<ContractionWork> workFrom(const json::Object &object) {
  const json::Object *fields = object.getObject("work");
  const json::Object *operations =
      fields ? fields->getObject("operations") : nullptr;
  if (!operations)
    return std::nullopt;
  ContractionWork work;
  work.isOpen = fields->getBoolean("open").value_or(true);
  for (const auto &[dtype, count] : *operations)
    work.operations[dtype.str()] = count.getAsNumber().value_or(0);
  return work;
}

static std::optional<ModuleCount> countAt(const json::Object &object,
                                          StringRef name) {
  const json::Object *fields = object.getObject(name);
  const json::Object *operations =
      fields ? fields->getObject("operations") : nullptr;
  if (!operations)
    return std::nullopt;
  ModuleCount count;
  count.constantBytes = fields->getInteger("constantBytes").value_or(0);
  for (const auto &[dialect, number] : *operations)
    count.operations[dialect.str()] = number.getAsInteger().value_or(0);
  return count;
}

static std::vector<PassTime> passesFrom(const json::Object &object) {
  std::vector<PassTime> passes;
  if (const json::Array *list = object.getArray("passes"))
    for (const json::Value &item : *list)
      if (const json::Array *fields = item.getAsArray();
          fields && fields->size() == 4)
        passes.push_back({textAt(*fields, 0), numberAt(*fields, 1),
                          (*fields)[2].getAsNumber().value_or(0),
                          (*fields)[3].getAsNumber().value_or(0)});
  return passes;
}

static std::optional<KernelShare> kernelsFrom(const json::Object &object) {
  const json::Object *fields = object.getObject("kernels");
  if (!fields)
    return std::nullopt;
  KernelShare share;
  share.withoutKernel = fields->getNumber("without_kernel").value_or(0);
  if (const json::Object *kernels = fields->getObject("kernels"))
    for (const auto &[name, count] : *kernels)
      share.kernels[name.str()] = count.getAsNumber().value_or(0);
  return share;
}

static std::optional<ArithmeticCount>
arithmeticFrom(const json::Object &object) {
  const json::Object *fields = object.getObject("arithmetic");
  if (!fields)
    return std::nullopt;
  ArithmeticCount count;
  count.operations = fields->getNumber("operations").value_or(0);
  count.vectorised = fields->getNumber("vectorised").value_or(0);
  count.instructions = fields->getNumber("instructions").value_or(0);
  count.vectorInstructions = fields->getNumber("inVectors").value_or(0);
  if (const json::Object *calls = fields->getObject("calls"))
    for (const auto &[name, number] : *calls)
      count.unknownCalls[name.str()] = number.getAsUINT64().value_or(0);
  return count;
}

static std::vector<OpChoice> choicesFrom(const json::Object &object) {
  std::vector<OpChoice> choices;
  const json::Array *list = object.getArray("choices");
  for (const json::Value &item : list ? *list : json::Array()) {
    const json::Object *fields = item.getAsObject();
    if (!fields)
      continue;
    OpChoice choice = {
        textFrom(*fields, "op"),       textFrom(*fields, "name"),
        textFrom(*fields, "sizes"),    spanFrom(*fields),
        textFrom(*fields, "strategy"), textFrom(*fields, "rule")};
    if (const json::Object *numbers = fields->getObject("numbers"))
      for (const auto &[name, value] : *numbers)
        choice.numbers[name.str()] = value.getAsString().value_or("").str();
    choices.push_back(std::move(choice));
  }
  return choices;
}

static void readLists(const json::Object &object, StepOutcome &outcome) {
  if (const json::Array *list = object.getArray("diagnostics"))
    for (const json::Value &item : *list)
      if (const json::Object *fields = item.getAsObject())
        if (std::optional<Diagnostic> diagnostic = diagnosticFrom(*fields))
          outcome.diagnostics.push_back(std::move(*diagnostic));
  if (const json::Array *list = object.getArray("runSeconds"))
    for (const json::Value &item : *list)
      outcome.runSeconds.push_back(item.getAsNumber().value_or(0));
  if (const json::Array *list = object.getArray("matches"))
    for (const json::Value &item : *list)
      if (const json::Object *fields = item.getAsObject())
        outcome.matches.push_back(
            {spanFrom(*fields), fields->getInteger("operations").value_or(0),
             textFrom(*fields, "op"),
             fields->getBoolean("optional").value_or(false)});
  outcome.choices = choicesFrom(object);
  outcome.inputs = filesAt(object, "inputs");
  outcome.outputs = filesAt(object, "outputs");
  outcome.kernels = kernelsFrom(object);
  outcome.arithmetic = arithmeticFrom(object);
  outcome.work = workFrom(object);
  outcome.before = countAt(object, "before");
  outcome.after = countAt(object, "after");
  outcome.passes = passesFrom(object);
}

static CacheUse cacheFrom(const json::Object &object) {
  int64_t use = object.getInteger("cache").value_or(0);
  bool known = use > 0 && use <= static_cast<int64_t>(CacheUse::Unneeded);
  return known ? static_cast<CacheUse>(use) : CacheUse::None;
}

static std::optional<Message> outcomeFrom(const json::Object &object) {
  std::optional<int64_t> step = object.getInteger("step");
  std::optional<int64_t> status = object.getInteger("status");
  if (!step || !status || *status < 0 ||
      *status > static_cast<int64_t>(StepStatus::NotApplicable))
    return std::nullopt;
  StepOutcome outcome;
  outcome.step = static_cast<StepId>(*step);
  outcome.status = static_cast<StepStatus>(*status);
  outcome.reason = textFrom(object, "reason");
  outcome.log = textFrom(object, "log");
  outcome.snapshot = textFrom(object, "snapshot");
  outcome.begin = object.getNumber("begin").value_or(0);
  outcome.seconds = object.getNumber("seconds").value_or(0);
  outcome.peakBytes = object.getInteger("peakBytes").value_or(0);
  outcome.changedModule = object.getBoolean("changed").value_or(true);
  outcome.cache = cacheFrom(object);
  outcome.cacheNote = textFrom(object, "cacheNote");
  readLists(object, outcome);
  return StepFinished{std::move(outcome)};
}

std::optional<Message> lh::decode(StringRef text) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  const json::Object *object = value->getAsObject();
  if (!object)
    return std::nullopt;
  if (std::optional<int64_t> step = object->getInteger("started"))
    return StepStarted{static_cast<StepId>(*step)};
  if (const json::Object *outcome = object->getObject("finished"))
    return outcomeFrom(*outcome);
  const json::Array *ended = object->getArray("ended");
  if (!ended || ended->size() != 2)
    return std::nullopt;
  return WorkerEnded{static_cast<pid_t>((*ended)[0].getAsInteger().value_or(0)),
                     static_cast<int>((*ended)[1].getAsInteger().value_or(0))};
}
