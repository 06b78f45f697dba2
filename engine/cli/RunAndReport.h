// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `lh-run run` does, for `lh-run test` too.
#ifndef LH_CLI_RUNANDREPORT_H
#define LH_CLI_RUNANDREPORT_H

#include "core/plan/RunRecord.h"
#include "core/support/DriverEnv.h"
#include "steps/ManifestOptions.h"

namespace lh {

/// What a run leaves beside its report.
struct RunProducts {
  LibraryOptions library; ///< runs go through it; it is written if they pass
  std::string json;       ///< the record; empty: nowhere
};

/// Runs a manifest and reports on standard output: the exit code, and what
/// happened if anything was run.
std::pair<int, std::optional<RunRecord>>
runAndReport(const ManifestRunOptions &options, const CacheOptions &cache,
             DriverEnv &env, const RunProducts &products = {});

} // namespace lh

#endif // LH_CLI_RUNANDREPORT_H
