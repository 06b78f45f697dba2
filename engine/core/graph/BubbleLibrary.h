// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bubbles of the library, and the manifests that join them.
#ifndef LH_CORE_GRAPH_BUBBLELIBRARY_H
#define LH_CORE_GRAPH_BUBBLELIBRARY_H

#include "core/graph/PathPlanner.h"
#include "core/graph/Resolver.h"

namespace lh {

/// The bubbles of all libraries that `target` has the facts for, with the
/// defaults of their parameters. Files with errors are left out, and those that
/// only join others: these are there themselves.
std::vector<PlanNode> readLibrary(const TargetSpec &target,
                                  const ResolveOptions &options,
                                  SourceStore &sources);

/// The pipelines of the manifests in the libraries' `manifests` folders that
/// are for `target`: it, or one of its backend, is among their targets, and no
/// `when:` refuses it. Manifests with errors are left out. A bubble that joins
/// others is a node for each of these.
std::vector<ProvenPath> readProvenPaths(const TargetSpec &target,
                                        const ResolveOptions &options,
                                        SourceStore &sources);

} // namespace lh

#endif // LH_CORE_GRAPH_BUBBLELIBRARY_H
