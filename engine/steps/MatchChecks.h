// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the searches of a schedule found, against what was to be expected.
#ifndef LH_STEPS_MATCHCHECKS_H
#define LH_STEPS_MATCHCHECKS_H

#include "compiler/session/MlirDiagnostics.h"
#include "core/plan/RunRecord.h"

namespace lh {

using MatchTallies =
    std::map<std::tuple<std::string, unsigned, unsigned>, MatchTally>;

std::vector<MatchCount> matchCounts(const MatchTallies &tallies);

/// Remarks on each search that was given operations and found none, unless the
/// schedule calls it optional. What was given none is no news: the search
/// before it is the one that found nothing.
void reportMatches(const MatchTallies &tallies, DiagnosticSink &sink);

/// True when a schedule says of all that it looked for that it may be absent.
bool mayDoNothing(const MatchTallies &tallies);

/// `expect: {matched: ...}`: how many operations all matches together found
/// (`structured.match`, `collect_matching`, `foreach_match`). The error names
/// each with its count.
LogicalResult checkMatched(ArrayRef<MatchedDecl> expected,
                           ArrayRef<MatchCount> matches, DiagnosticSink &sink);

} // namespace lh

#endif // LH_STEPS_MATCHCHECKS_H
