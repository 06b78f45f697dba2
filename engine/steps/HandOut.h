// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Libraries leave lh-run when their results are judged right, not before.
#ifndef LH_STEPS_HANDOUT_H
#define LH_STEPS_HANDOUT_H

#include "core/plan/RunRecord.h"

namespace lh {

/// Where a compile step puts the files of the library that it builds.
std::string libraryFolderOf(StringRef scratchFolder, StepId step);

/// Copies each library of `record` to where its plan says, if all its results
/// passed, or had nothing to be judged by; the paths of those that were. Fails
/// with a diagnostic when a file can't be written.
FailureOr<std::vector<std::string>> handOutLibraries(const RunRecord &record,
                                                     StringRef scratchFolder,
                                                     DiagnosticSink &sink);

} // namespace lh

#endif // LH_STEPS_HANDOUT_H
