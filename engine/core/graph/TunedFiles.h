// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of measured choices: found, read, and held against the graph.
#ifndef LH_CORE_GRAPH_TUNEDFILES_H
#define LH_CORE_GRAPH_TUNEDFILES_H

#include "core/graph/Resolver.h"

namespace lh {

/// The user's files, then the manifest's; what can't be read is reported.
std::vector<TunedSpec> readTuned(const Manifest &manifest,
                                 const ResolveOptions &options,
                                 SourceStore &sources, DiagnosticSink &sink);

/// Reports the entries about products whose strategy or numbers the graph's
/// bubbles don't have on the entry's target, and files for no target of the
/// graph.
void checkTuned(const ResolvedGraph &graph, DiagnosticSink &sink);

/// `bubble` with what an entry of a path says of its parameters. Nothing where
/// it says nothing of this bubble.
std::optional<BubbleDecl> tunedBubble(const BubbleDecl &bubble,
                                      const TunedEntry &entry,
                                      DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_GRAPH_TUNEDFILES_H
