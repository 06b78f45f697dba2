// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One self-contained HTML page of what runs came to.
#ifndef LH_INSIGHT_REPORT_PAGE_PAGE_H
#define LH_INSIGHT_REPORT_PAGE_PAGE_H

#include "insight/report/SavedRun.h"

namespace lh {

/// A page that needs nothing but itself and no JavaScript to be read. Snapshots
/// that the runs name are read; one that can't be is a warning.
std::string reportPage(std::vector<SavedRun> runs, DiagnosticSink &sink);

} // namespace lh

#endif // LH_INSIGHT_REPORT_PAGE_PAGE_H
