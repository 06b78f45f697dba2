// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an entry of the cache says of itself.
#include "core/cache/CacheRecord.h"

#include "core/plan/RecordFields.h"

using namespace lh;

namespace {
/// Where a step's action and its bubble are written; diagnostics point there,
/// or to what comes after.
using Anchors = std::array<SourceSpan, 2>;

struct CacheEntry {
  CacheRecord record;
  Anchors anchors;
};
} // namespace

namespace lh {

static void fieldsOf(auto &v, Is<KeyPart> auto &part) {
  v("name", part.name);
  v("value", part.value);
}

static void fieldsOf(auto &v, Is<StepKey> auto &key) {
  v("key", key.key);
  v("parent", key.parent);
  v("place", key.place);
  v("parts", key.parts);
}

static void fieldsOf(auto &v, Is<CacheEntry> auto &entry) {
  fieldsOf(v, entry.record.key);
  v("anchors", entry.anchors);
  v("outcome", entry.record.outcome);
}

} // namespace lh

static Anchors anchorsOf(const Step &step) {
  SourceSpan action = step.declaredAt;
  if (const auto *passes = std::get_if<PassesAction>(&step.action))
    action = passes->where;
  else if (const auto *schedule = std::get_if<ScheduleAction>(&step.action))
    action = schedule->where;
  else if (const auto *patterns = std::get_if<PatternsAction>(&step.action))
    action = patterns->where;
  else if (const auto *compiled = std::get_if<CompileAction>(&step.action))
    action = compiled->where;
  return {action, step.declaredAt};
}

std::string lh::encodeRecord(const CacheRecord &record, const Step &step,
                             const PortablePaths &paths) {
  return paths.packAll(writeOwn(CacheEntry{record, anchorsOf(step)}));
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
                                             const Step &step,
                                             const PortablePaths &paths) {
  CacheEntry entry;
  if (failed(readOwn(paths.unpackAll(text), entry)) ||
      entry.record.key.key != key ||
      entry.record.outcome.status != StepStatus::Passed)
    return std::nullopt;
  StepOutcome outcome = std::move(entry.record.outcome);
  outcome.step = step.id;
  Anchors from = entry.anchors, to = anchorsOf(step);
  for (Diagnostic &diagnostic : outcome.diagnostics) {
    move(diagnostic.where, from, to);
    for (DiagnosticNote &note : diagnostic.notes)
      move(note.where, from, to);
  }
  return outcome;
}

std::optional<StepKey> lh::decodeKey(StringRef text) {
  StepKey key;
  if (failed(readOwn(text, key)))
    return std::nullopt;
  return key;
}
