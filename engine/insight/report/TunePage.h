// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A page that draws a search: its trials over time, and its two most telling
// dimensions.
#ifndef LH_INSIGHT_REPORT_TUNEPAGE_H
#define LH_INSIGHT_REPORT_TUNEPAGE_H

#include "core/tune/TrialLog.h"

namespace lh {

/// A whole HTML page without scripts. Trials of one `work` are a search, in the
/// order in which they were made.
std::string tunePage(StringRef title, ArrayRef<TrialRecord> trials);

} // namespace lh

#endif // LH_INSIGHT_REPORT_TUNEPAGE_H
