// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was measured, for people.
#ifndef LH_INSIGHT_REPORT_BENCHTABLE_H
#define LH_INSIGHT_REPORT_BENCHTABLE_H

#include "core/bench/BenchRecord.h"

#include "llvm/Support/raw_ostream.h"

namespace lh {

/// A table of the rows, then what must be known to trust them: the probes, what
/// was disturbed, what isn't steady, and what was not measured and why.
void printBench(const BenchRecord &record, llvm::raw_ostream &stream);

} // namespace lh

#endif // LH_INSIGHT_REPORT_BENCHTABLE_H
