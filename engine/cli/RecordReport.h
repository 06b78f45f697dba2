// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `lh-run record` shows: old and new outputs in statistics.
#ifndef LH_CLI_RECORDREPORT_H
#define LH_CLI_RECORDREPORT_H

#include "core/plan/GoldenRecord.h"

namespace lh {

/// A line on the output, one for the errors of each of old and new, and one on
/// how they differ.
void printRecorded(const RecordedOutput &output, const RecordErrors &errors,
                   llvm::raw_ostream &out);

} // namespace lh

#endif // LH_CLI_RECORDREPORT_H
