// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manifest to ResolvedGraph: reads every file it names, resolves every name.
#ifndef LH_CORE_GRAPH_RESOLVER_H
#define LH_CORE_GRAPH_RESOLVER_H

#include "core/graph/ResolvedGraph.h"
#include "core/support/SourceStore.h"

namespace lh {

struct ResolveOptions {
  /// `--set name=text`, typed by the parameter's declaration.
  std::map<std::string, std::string> set;
  /// Folders with `schedules/` (for `lib:`) and `targets/`.
  std::vector<std::string> libraryDirs;
  /// Further folders with target files.
  std::vector<std::string> targetDirs;
  /// The fact `threads` of every target; 0: what its file says.
  unsigned threads = 0;
  /// The file of a target that joins the manifest's, or takes the place of the
  /// one of the same name; empty: none.
  std::string target;
  /// Models of the user's, relative to `workingDirectory`, that take the place
  /// of the manifest's cases; none: its own cases.
  std::vector<std::string> models;
  /// The manifest for a model that stands where a manifest may; empty: the
  /// library's for models of its kind.
  std::string modelManifest;
  /// Files of measured choices that come before the manifest's, relative to
  /// `workingDirectory`; and what comes before these, already read.
  std::vector<std::string> tuned;
  std::vector<TunedSpec> tried;
  /// What paths given by `--set` are relative to.
  std::string workingDirectory;
};

/// What a graph lacks because of errors, which were reported.
struct MissingParts {
  bool any = false;
  bool targets = false, pipelines = false, cases = false, dialects = false;
};

/// A graph without what has errors. A pipeline lacks the bubbles that have
/// some; bubbles that may have been in it are alone in one without a name.
struct GraphParts {
  ResolvedGraph graph;
  MissingParts missing;
};

/// Resolves a manifest whose `file` is absolute. Reports everything that is
/// wrong with the names, references, parameters, edges and paths in it and in
/// the files it uses; all paths in the result are absolute, but for those that
/// `emit` writes to.
FailureOr<ResolvedGraph> resolve(const Manifest &manifest,
                                 const ResolveOptions &options,
                                 SourceStore &sources, DiagnosticSink &sink);

/// Where the library has the manifest of this name that compiles models of a
/// kind, and that `lh-run init` begins with; empty where it has none.
std::string shippedModelManifest(StringRef name,
                                 const ResolveOptions &options,
                                 llvm::vfs::FileSystem &files);

/// Reads, parses and resolves the manifest at `path`, as far as that goes. A
/// model there is run as by `--model`. Fails where it can't be read at all.
FailureOr<GraphParts> loadGraphParts(StringRef path,
                                     const ResolveOptions &options,
                                     SourceStore &sources,
                                     DiagnosticSink &sink);

/// The same, but fails after any error.
FailureOr<ResolvedGraph> loadGraph(StringRef path,
                                   const ResolveOptions &options,
                                   SourceStore &sources, DiagnosticSink &sink);

/// Resolves a bubble file by itself, for one target; `options.set` gives its
/// parameters. The result is its elementary bubbles in chain order.
FailureOr<std::vector<ResolvedBubble>>
loadBubbleFile(StringRef path, const TargetSpec &target,
               const ResolveOptions &options, SourceStore &sources,
               DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_GRAPH_RESOLVER_H
