// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target in one file, to be copied elsewhere.
#ifndef LH_CORE_GRAPH_WHOLETARGET_H
#define LH_CORE_GRAPH_WHOLETARGET_H

#include "core/manifest/Manifest.h"
#include "core/support/SourceStore.h"

namespace lh {

/// The text of a file that extends nothing, has all facts of `target`, and says
/// else what its file and those that it extends say. Where that is no more than
/// its own file says, it is that file's text.
FailureOr<std::string> wholeTargetText(const TargetSpec &target,
                                       SourceStore &sources,
                                       DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_GRAPH_WHOLETARGET_H
