// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a project publishes each night: its space of pipelines, what has
// changed, and figures over time.
#ifndef LH_INSIGHT_REPORT_PAGE_SPACEPAGE_H
#define LH_INSIGHT_REPORT_PAGE_SPACEPAGE_H

#include "insight/report/History.h"

namespace lh {

/// A self-contained page without scripts. `runs` are those of `history`, in any
/// order; the map shows the newest for each manifest.
std::string spacePage(const History &history, std::vector<SavedRun> runs);

} // namespace lh

#endif // LH_INSIGHT_REPORT_PAGE_SPACEPAGE_H
