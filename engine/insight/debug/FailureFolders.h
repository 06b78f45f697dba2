// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What failing steps leave behind: a folder each, which repeats it.
#ifndef LH_INSIGHT_DEBUG_FAILUREFOLDERS_H
#define LH_INSIGHT_DEBUG_FAILUREFOLDERS_H

#include "core/plan/RunRecord.h"
#include "steps/Engine.h"

namespace lh {

/// Where they go when nobody says: `lh-failures/<manifest's name>`.
std::string defaultFailuresFolder(StringRef manifestName);

/// Writes `<folder>/<step>-<bubble>` for each step of `record` that failed
/// unannounced (not more than 20), and names it in its outcome. The steps
/// before it are done again, in workers, to get the module that it had: nothing
/// is kept while all goes well. What can't be written costs a warning.
void leaveReproducers(RunRecord &record, Engine &engine,
                      const ManifestRunOptions &options,
                      const std::string &folder, StringRef scratch,
                      DiagnosticSink &sink);

} // namespace lh

#endif // LH_INSIGHT_DEBUG_FAILUREFOLDERS_H
