// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the JSON report says of a run beyond what happened in it.
#ifndef LH_CLI_RUNCONTEXT_H
#define LH_CLI_RUNCONTEXT_H

#include "core/graph/ResolvedGraph.h"
#include "core/support/SourceStore.h"
#include "insight/report/JsonReport.h"

#include <ctime>

namespace lh {

class MlirSession;

/// "2026-11-21T22:05:00"; UTC.
std::string timeText(std::time_t time);

/// The node's where Slurm says it, since several may be of one machine; else
/// this machine's; "unknown" where it has none.
std::string hostName();

/// Of a run of `plan` that began at `started`, for a report at `path`.
/// `sources` must outlive the result.
ReportContext contextOf(const Plan &plan, const ResolvedGraph &graph,
                        MlirSession &session, SourceStore &sources,
                        StringRef path, std::time_t started);

} // namespace lh

#endif // LH_CLI_RUNCONTEXT_H
