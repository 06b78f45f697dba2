// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of diagnostic kinds and the sinks' common part.
#include "core/support/Diagnostic.h"

#include "core/support/EnumNames.h"
#include "core/support/Suggestion.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace lh;

ArrayRef<StringRef> lh::enumNames(DiagKind) {
  static constexpr StringRef names[] = {
#define LH_DIAG(Name, Text, ...) Text,
#include "core/support/Diagnostics.def"
  };
  return names;
}

StringRef lh::kindName(DiagKind kind) { return enumName(kind); }

ArrayRef<DiagKind> lh::allDiagKinds() {
  static constexpr DiagKind kinds[] = {
#define LH_DIAG(Name, ...) DiagKind::Name,
#include "core/support/Diagnostics.def"
  };
  return kinds;
}

void DiagnosticSink::emit(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Error)
    ++errors;
  else if (diagnostic.severity == Severity::Warning)
    ++warnings;
  handle(diagnostic);
}

LogicalResult DiagnosticSink::error(DiagKind kind, const SourceSpan &where,
                                    const Twine &message,
                                    std::vector<DiagnosticNote> notes) {
  emit({kind, Severity::Error, where, message.str(), std::move(notes)});
  return failure();
}

void DiagnosticSink::warning(DiagKind kind, const SourceSpan &where,
                             const Twine &message,
                             std::vector<DiagnosticNote> notes) {
  emit({kind, Severity::Warning, where, message.str(), std::move(notes)});
}

/// Whether two neighbours that changed places are all that differs.
static bool isSwap(StringRef seen, StringRef meant) {
  if (seen.size() != meant.size())
    return false;
  size_t i = 0;
  while (i < seen.size() && seen[i] == meant[i])
    ++i;
  return i + 1 < seen.size() && seen[i] == meant[i + 1] &&
         seen[i + 1] == meant[i] && seen.substr(i + 2) == meant.substr(i + 2);
}

std::string lh::didYouMean(StringRef seen, ArrayRef<StringRef> candidates) {
  // Comparing takes the product of the lengths, and this is no mistyped name.
  constexpr size_t longestName = 200;
  if (seen.size() > longestName)
    return "";
  unsigned limit = std::max<unsigned>(1, unsigned(seen.size() / 3));
  unsigned best = limit + 1;
  StringRef nearest;
  for (StringRef candidate : candidates) {
    if (candidate.size() > seen.size() + limit ||
        seen.size() > candidate.size() + limit)
      continue;
    unsigned distance =
        isSwap(seen, candidate)
            ? 1
            : seen.edit_distance(candidate, /*AllowReplacements=*/true, limit);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  if (nearest.empty())
    return "";
  return ("; did you mean '" + nearest + "'?").str();
}

std::string
lh::suggestionFor(StringRef seen, const DiagnosticSink &sink,
                  llvm::function_ref<std::vector<StringRef>()> candidates) {
  constexpr unsigned mostRead = 200;
  return sink.errorCount() < mostRead ? didYouMean(seen, candidates()) : "";
}
