// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes to several files of a folder that happen together or not at all.
#ifndef LH_CORE_SUPPORT_FOLDERUPDATE_H
#define LH_CORE_SUPPORT_FOLDERUPDATE_H

#include "core/support/Diagnostic.h"

#include <map>
#include <optional>

namespace lh {

/// What files are to hold, by their paths in the folder; nothing: to be gone.
using FolderChanges = std::map<std::string, std::optional<std::string>>;

/// Makes `changes` in `folder`, or makes the folder where there is none: a copy
/// beside it is changed and takes its place in one rename, so that it is never
/// seen half changed. Fails with an error at `from` and leaves all as it was.
LogicalResult updateFolder(StringRef folder, const FolderChanges &changes,
                           const SourceSpan &from, DiagnosticSink &sink);

/// Makes `folder` hold `contents` and nothing else, in one rename. Several
/// processes may do so at once: one of them is the last. Fails like
/// updateFolder.
LogicalResult replaceFolder(StringRef folder,
                            const std::map<std::string, std::string> &contents,
                            const SourceSpan &from, DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_SUPPORT_FOLDERUPDATE_H
