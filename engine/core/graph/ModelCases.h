// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models of the user's in place of a manifest's cases.
#ifndef LH_CORE_GRAPH_MODELCASES_H
#define LH_CORE_GRAPH_MODELCASES_H

#include "core/graph/ResolvedGraph.h"
#include "core/graph/Resolver.h"

namespace lh {

/// Makes `options.models` the cases of `graph`: generated inputs, judged by the
/// oracle, since what the manifest says of its own models' outputs (goldens,
/// labels, tolerances) is not about these. Fails with errors where the
/// manifest has no ingress that takes such a model, or a file isn't there.
LogicalResult useModels(ResolvedGraph &graph, const ResolveOptions &options,
                        llvm::vfs::FileSystem &files, DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_GRAPH_MODELCASES_H
