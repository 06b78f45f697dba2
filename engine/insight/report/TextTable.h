// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns of text for people.
#ifndef LH_INSIGHT_REPORT_TEXTTABLE_H
#define LH_INSIGHT_REPORT_TEXTTABLE_H

#include "core/support/Diagnostic.h"

#include "llvm/Support/raw_ostream.h"

namespace lh {

using Cells = std::vector<std::string>;

/// The first `names` columns to the left, numbers to the right. A line may have
/// fewer cells than others.
void printTable(ArrayRef<Cells> lines, size_t names, llvm::raw_ostream &stream);

/// With three digits that say something.
std::string threeDigits(double value);

/// "91.2 %" of 0.912.
std::string percentText(double share);

} // namespace lh

#endif // LH_INSIGHT_REPORT_TEXTTABLE_H
