// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gaps are worth, for people.
#ifndef LH_INSIGHT_REPORT_GAPTABLE_H
#define LH_INSIGHT_REPORT_GAPTABLE_H

#include "core/bench/GapRecord.h"

#include "llvm/Support/raw_ostream.h"

namespace lh {

/// What became of one, in a few words: "breaks: 'lower' crashed", "1.31x".
std::string trialText(const GapTrial &trial);

/// The tables of gaps and topics, in their order, and which gaps can go;
/// without reasons, which trialText() tells as trials end.
void printGaps(const GapRecord &record, llvm::raw_ostream &stream);

} // namespace lh

#endif // LH_INSIGHT_REPORT_GAPTABLE_H
