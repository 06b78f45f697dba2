// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds and reads the target files that a manifest names.
#ifndef LH_CORE_GRAPH_TARGETFINDER_H
#define LH_CORE_GRAPH_TARGETFINDER_H

#include "core/manifest/Manifest.h"
#include "core/support/SourceStore.h"

namespace lh {

/// Where target files may lie, in this order: `folder`, its `targets`, its
/// parent's `targets`, `targetDirs`, and `targets` of each library folder.
struct TargetSearch {
  std::string folder;
  std::vector<std::string> targetDirs, libraryDirs;
  /// The fact `threads` of every target; 0: the file's, or one.
  unsigned threads = 0;
};

/// Reads the target called `name` (or, if it looks like a path, that file
/// relative to the search's folder) and checks the references in it.
FailureOr<TargetSpec> readTarget(const Located<std::string> &name,
                                 const TargetSearch &search,
                                 SourceStore &sources, DiagnosticSink &sink);

/// Reads all `names`, in order. Those that fail are left out and reported.
std::vector<TargetSpec> readTargets(ArrayRef<Located<std::string>> names,
                                    const TargetSearch &search,
                                    SourceStore &sources, DiagnosticSink &sink);

/// The text of a file that extends nothing, has all facts of `target`, and says
/// else what its file and those that it extends say. Where that is no more than
/// its own file says, it is that file's text.
FailureOr<std::string> wholeTargetText(const TargetSpec &target,
                                       SourceStore &sources,
                                       DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_GRAPH_TARGETFINDER_H
