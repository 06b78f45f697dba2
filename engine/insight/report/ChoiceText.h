// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices of how ops are computed, for people and for programs.
#ifndef LH_INSIGHT_REPORT_CHOICETEXT_H
#define LH_INSIGHT_REPORT_CHOICETEXT_H

#include "core/plan/RunRecord.h"

namespace lh {

/// "rows = 8, block = 64"; empty where there are none.
std::string numbersText(const OpChoice &choice);

/// "linalg.matmul 4 x 512 x 64 at 'dense'".
std::string chosenOpText(const OpChoice &choice);

/// A line for each strategy, rule and numbers, with the first of its ops: "tile
/// by wide-product, rows = 8: 2 ops: ...".
std::vector<std::string> choiceLines(ArrayRef<OpChoice> choices);

} // namespace lh

#endif // LH_INSIGHT_REPORT_CHOICETEXT_H
