// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run's results as Markdown, for the pages of CI systems.
#ifndef LH_INSIGHT_REPORT_MARKDOWNREPORT_H
#define LH_INSIGHT_REPORT_MARKDOWNREPORT_H

#include "core/plan/RunRecord.h"

namespace lh {

/// What GitHub takes as a step's summary, less than all other systems.
constexpr size_t mostMarkdownBytes = 1 << 20;

/// How many of what, then a table of the results, what failed first. Rows that
/// don't fit into `limit` bytes are counted instead.
std::string markdownReport(const RunRecord &record,
                           size_t limit = mostMarkdownBytes);

/// `text` for a cell: in one line, with nothing that Markdown or HTML reads.
std::string markdownCell(StringRef text);

} // namespace lh

#endif // LH_INSIGHT_REPORT_MARKDOWNREPORT_H
