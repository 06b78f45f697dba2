// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of an explanation, as text and as JSON.
#ifndef LH_INSIGHT_REPORT_EXPLANATIONPARTS_H
#define LH_INSIGHT_REPORT_EXPLANATIONPARTS_H

#include "core/json/Json.h"
#include "core/plan/RunRecord.h"

#include "llvm/Support/raw_ostream.h"

namespace lh {

/// A block for each step of the result's path: time, memory, operations by
/// dialect that came and went, matches, contracts, what was said.
void printExplanation(const RunRecord &record, size_t result,
                      llvm::raw_ostream &stream);

/// The same for programs.
Json explanationJson(const RunRecord &record, size_t result);

/// What one origin's operations are after each step: operation -> how many.
struct OriginHistory {
  std::string origin;
  std::vector<std::pair<StepId, std::map<std::string, int64_t>>> after;
};

/// A line for each step after which they differ.
void printHistory(const RunRecord &record, const OriginHistory &history,
                  llvm::raw_ostream &stream);
Json historyJson(const RunRecord &record, const OriginHistory &history);

} // namespace lh

#endif // LH_INSIGHT_REPORT_EXPLANATIONPARTS_H
