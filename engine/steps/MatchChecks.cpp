// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the searches of a schedule found, against what was to be expected.
#include "steps/MatchChecks.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

static SourceSpan placeOf(const MatchTallies::value_type &entry) {
  const auto &[file, line, column] = entry.first;
  return {file, line, column, 0};
}

std::vector<MatchCount> lh::matchCounts(const MatchTallies &tallies) {
  std::vector<MatchCount> counts;
  for (const auto &entry : tallies)
    counts.push_back({placeOf(entry), entry.second.found, entry.second.op,
                      entry.second.isOptional});
  return counts;
}

void lh::reportMatches(const MatchTallies &tallies, DiagnosticSink &sink) {
  for (const auto &entry : tallies) {
    const MatchTally &tally = entry.second;
    if (tally.isOptional || tally.found > 0 || tally.given == 0)
      continue;
    StringRef op = tally.op;
    std::string message = op == "transform.structured.match"
                              ? "this match found 0 operations"
                              : "'" + tally.op + "' found 0 of " +
                                    std::to_string(tally.given) +
                                    " operations: its handle is empty";
    sink.emit({DiagKind::IrMatchedNothing,
               Severity::Remark,
               placeOf(entry),
               std::move(message),
               {}});
  }
}

bool lh::mayDoNothing(const MatchTallies &tallies) {
  return llvm::any_of(
             tallies,
             [](const auto &entry) { return entry.second.isOptional; }) &&
         llvm::all_of(tallies, [](const auto &entry) {
           return entry.second.isOptional || entry.second.given == 0;
         });
}

static bool isMatch(const MatchCount &match) {
  StringRef op = match.op;
  return op == "transform.structured.match" ||
         op == "transform.collect_matching" || op == "transform.foreach_match";
}

static std::string boundText(const MatchedDecl &expected) {
  if (expected.least && expected.most)
    return std::to_string(*expected.least);
  return expected.least ? "at least " + std::to_string(*expected.least)
                        : "at most " + std::to_string(*expected.most);
}

LogicalResult lh::checkMatched(ArrayRef<MatchedDecl> expected,
                               ArrayRef<MatchCount> matches,
                               DiagnosticSink &sink) {
  int64_t found = 0;
  std::vector<DiagnosticNote> notes;
  for (const MatchCount &match : matches) {
    if (!isMatch(match))
      continue;
    found += match.operations;
    notes.push_back(
        {match.where, "this one found " + std::to_string(match.operations)});
  }
  LogicalResult result = success();
  for (const MatchedDecl &bound : expected) {
    bool holds =
        found >= bound.least.value_or(0) && found <= bound.most.value_or(found);
    if (holds)
      continue;
    StringRef seen = notes.empty() ? "no match of the schedule ran"
                                   : "the matches of the schedule found ";
    result = sink.error(DiagKind::IrMatchedOther, bound.where,
                        seen + (notes.empty() ? "" : std::to_string(found)) +
                            "; expected are " + boundText(bound),
                        notes);
  }
  return result;
}
