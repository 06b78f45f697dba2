// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the cache had to do with each step, for people.
#ifndef LH_INSIGHT_REPORT_CACHETABLE_H
#define LH_INSIGHT_REPORT_CACHETABLE_H

#include "core/plan/RunRecord.h"

#include "llvm/Support/raw_ostream.h"

namespace lh {

/// How many steps were known, then a line for each bubble: known, or why not.
/// Steps of one bubble about which there is the same to say share a line.
void printCacheUse(const RunRecord &record, llvm::raw_ostream &stream);

} // namespace lh

#endif // LH_INSIGHT_REPORT_CACHETABLE_H
