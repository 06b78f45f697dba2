// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of measured choices, written by the tuner.
#ifndef LH_CLI_TUNEDFILE_H
#define LH_CLI_TUNEDFILE_H

#include "core/manifest/Manifest.h"
#include "core/support/SourceStore.h"

namespace lh {

FailureOr<TunedSpec> readTunedFile(const std::string &file,
                                   SourceStore &sources, DiagnosticSink &sink);

/// Puts `entries` into the file, in the place of what it has about the same,
/// sorted. A file for another target, or one that can't be read, stays as it
/// is, which is an error.
LogicalResult writeTunedFile(const std::string &file, StringRef target,
                             std::vector<TunedEntry> entries,
                             SourceStore &sources, DiagnosticSink &sink);

} // namespace lh

#endif // LH_CLI_TUNEDFILE_H
