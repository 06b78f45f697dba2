// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Run records from files and folders.
#ifndef LH_CLI_RUNLOADER_H
#define LH_CLI_RUNLOADER_H

#include "core/support/DriverEnv.h"
#include "core/support/SourceStore.h"
#include "insight/report/SavedRun.h"

namespace lh {

/// The run record `place`, or all in the folder of that name and those in it.
/// Reports files that can't be read or are none.
FailureOr<std::vector<SavedRun>> loadRuns(const std::string &place,
                                          const DriverEnv &env,
                                          SourceStore &sources,
                                          DiagnosticSink &sink);

} // namespace lh

#endif // LH_CLI_RUNLOADER_H
