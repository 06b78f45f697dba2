// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The facts that a target has by what it is: its backend, its architecture, and
// the features of its processor.
#ifndef LH_CORE_GRAPH_DEFAULTFACTS_H
#define LH_CORE_GRAPH_DEFAULTFACTS_H

#include "core/manifest/Manifest.h"
#include "core/support/SourceStore.h"

namespace lh {

/// Adds the facts that `target` leaves out, from the first of `libraryDirs`
/// that has a folder `targets/defaults`. There `cpu.yaml` is of a backend,
/// `x86-64.yaml` of an architecture, `x86-64.avx2.yaml` of a feature, and
/// `x86-64.a.b.yaml` of two; the more particular file wins, and of features the
/// one that comes later by name. Features are those that the target lists and
/// those that its CPU has. Of cpu `host` they are this machine's, whose sizes of
/// caches are facts as well, in bytes.
LogicalResult addDefaultFacts(TargetSpec &target,
                              ArrayRef<std::string> libraryDirs,
                              SourceStore &sources, DiagnosticSink &sink);

/// All files of that folder, by their names without ".yaml".
FailureOr<std::map<std::string, DefaultFacts>>
readDefaultFacts(ArrayRef<std::string> libraryDirs, SourceStore &sources,
                 DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_GRAPH_DEFAULTFACTS_H
