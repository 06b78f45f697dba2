// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What git says has changed.
#ifndef LH_CLI_CHANGES_H
#define LH_CLI_CHANGES_H

#include "insight/ci/Job.h"

namespace lh {

/// The absolute paths of all files that differ between `revision` and the
/// working tree that `folder` lies in, with files git doesn't know. Reports a
/// revision that there isn't, and a folder outside a repository.
FailureOr<std::vector<std::string>>
changedSince(StringRef revision, StringRef folder, DiagnosticSink &sink);

/// Whether one of `changed` is an input of `job`, lies in one, or in one of
/// `always`.
bool isAffected(const Job &job, ArrayRef<std::string> changed,
                ArrayRef<std::string> always);

} // namespace lh

#endif // LH_CLI_CHANGES_H
