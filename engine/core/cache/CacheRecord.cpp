// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an entry of the cache says of itself.
#include "core/cache/CacheRecord.h"

#include "core/exec/JsonFields.h"
#include "core/exec/Message.h"

using namespace lh;
namespace json = llvm::json;

namespace {
/// Where a step's action and its bubble are written; diagnostics point there,
/// or to what comes after.
using Anchors = std::array<SourceSpan, 2>;
} // namespace

static Anchors anchorsOf(const Step &step) {
  SourceSpan action = step.declaredAt;
  if (const auto *passes = std::get_if<PassesAction>(&step.action))
    action = passes->where;
  else if (const auto *schedule = std::get_if<ScheduleAction>(&step.action))
    action = schedule->where;
  else if (const auto *compiled = std::get_if<CompileAction>(&step.action))
    action = compiled->where;
  return {action, step.declaredAt};
}

static json::Value text(StringRef bytes) { return json::fixUTF8(bytes); }

std::string lh::encodeRecord(const CacheRecord &record, const Step &step) {
  json::Array parts, anchors;
  for (const KeyPart &part : record.key.parts)
    parts.push_back(json::Array{text(part.name), text(part.value)});
  for (const SourceSpan &anchor : anchorsOf(step))
    anchors.push_back(
        json::Array{text(anchor.file), anchor.line, anchor.column});
  json::Value value =
      json::Object{{"key", record.key.key},
                   {"parent", record.key.parent},
                   {"place", text(record.key.place)},
                   {"parts", std::move(parts)},
                   {"anchors", std::move(anchors)},
                   {"outcome", encode(StepFinished{record.outcome})}};
  std::string out;
  llvm::raw_string_ostream(out) << value;
  return out;
}

static std::optional<json::Value> parse(StringRef text) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (value && value->getAsObject())
    return std::move(*value);
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

static Anchors anchorsFrom(const json::Object &object) {
  Anchors anchors;
  const json::Array *list = object.getArray("anchors");
  for (size_t i = 0; list && i < anchors.size() && i < list->size(); ++i)
    if (const json::Array *fields = (*list)[i].getAsArray())
      anchors[i] = {textAt(*fields, 0), numberAt(*fields, 1),
                    numberAt(*fields, 2), 0};
  return anchors;
}

/// Keeps the distance to the nearest anchor before it in its file.
static void move(SourceSpan &span, const Anchors &from, const Anchors &to) {
  std::optional<size_t> nearest;
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i].isKnown() && from[i].file == span.file &&
        from[i].line <= span.line &&
        (!nearest || from[*nearest].line < from[i].line))
      nearest = i;
  if (!nearest)
    return;
  const SourceSpan &before = from[*nearest], &after = to[*nearest];
  span.file = after.file;
  if (span.line == before.line && span.column >= before.column)
    span.column = span.column - before.column + after.column;
  span.line = span.line - before.line + after.line;
}

std::optional<StepOutcome> lh::decodeOutcome(StringRef text, StringRef key,
                                             const Step &step) {
  std::optional<json::Value> value = parse(text);
  if (!value || value->getAsObject()->getString("key") != key)
    return std::nullopt;
  const json::Object &object = *value->getAsObject();
  std::optional<Message> message = decode(textFrom(object, "outcome"));
  auto *finished = message ? std::get_if<StepFinished>(&*message) : nullptr;
  if (!finished || finished->outcome.status != StepStatus::Passed)
    return std::nullopt;
  StepOutcome outcome = std::move(finished->outcome);
  outcome.step = step.id;
  Anchors from = anchorsFrom(object), to = anchorsOf(step);
  for (Diagnostic &diagnostic : outcome.diagnostics) {
    move(diagnostic.where, from, to);
    for (DiagnosticNote &note : diagnostic.notes)
      move(note.where, from, to);
  }
  return outcome;
}

std::optional<StepKey> lh::decodeKey(StringRef text) {
  std::optional<json::Value> value = parse(text);
  if (!value)
    return std::nullopt;
  const json::Object &object = *value->getAsObject();
  StepKey key{textFrom(object, "key"),
              textFrom(object, "parent"),
              textFrom(object, "place"),
              {}};
  if (const json::Array *parts = object.getArray("parts"))
    for (const json::Value &part : *parts)
      if (const json::Array *fields = part.getAsArray())
        key.parts.push_back({textAt(*fields, 0), textAt(*fields, 1)});
  return key;
}
