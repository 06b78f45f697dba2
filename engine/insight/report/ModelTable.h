// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that were counted and cycles that were modelled, for people.
#ifndef LH_INSIGHT_REPORT_MODELTABLE_H
#define LH_INSIGHT_REPORT_MODELTABLE_H

#include "core/bench/BenchRecord.h"

#include "llvm/Support/raw_ostream.h"

namespace lh {

/// A table of instructions by kind, one of cycles by core, and what was not
/// counted and why. Nothing when no row was to be modelled.
void printModels(const BenchRecord &record, llvm::raw_ostream &stream);

} // namespace lh

#endif // LH_INSIGHT_REPORT_MODELTABLE_H
