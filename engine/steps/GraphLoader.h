// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a manifest's path to a plan, for every command that needs one.
#ifndef LH_STEPS_GRAPHLOADER_H
#define LH_STEPS_GRAPHLOADER_H

#include "core/graph/Resolver.h"
#include "core/plan/MakePlan.h"
#include "core/support/DriverEnv.h"
#include "steps/ManifestOptions.h"

namespace lh {

class Engine;

/// What `--set`, `--library` and the environment say about resolving names.
ResolveOptions resolveOptions(const GraphOptions &options,
                              const DriverEnv &env);

/// The place that the command line is, for diagnostics.
inline SourceSpan commandLinePlace() { return {"<command line>", 1, 1, 0}; }

/// The target that the command line names; empty: "host".
FailureOr<TargetSpec> namedTarget(StringRef name, const ResolveOptions &options,
                                  SourceStore &sources, DiagnosticSink &sink);

/// What `execute` bubbles say of timing is replaced; 0: nothing is timed.
void setRepeat(ResolvedGraph &graph, unsigned repeat);

/// What `execute` bubbles compile is handed out as this library, below the
/// folder for outputs.
void setLibrary(ResolvedGraph &graph, const LibraryOptions &library);

/// What `--target`, `--pipeline` and `--case` pick, and the oracle's lowering.
Selection selectionOf(const GraphOptions &options);

/// This machine, as plans are made for it. Borrows both.
PlanHost planHostOf(const Engine &engine, const DriverEnv &env);

/// Plans for this machine, as far as that goes.
PlanParts planPartsFor(const ResolvedGraph &graph, const MissingParts &missing,
                       const Selection &selection, const Engine &engine,
                       const DriverEnv &env, DiagnosticSink &sink);

/// The same, but fails after any error.
FailureOr<Plan> planFor(const ResolvedGraph &graph, const Selection &selection,
                        const Engine &engine, const DriverEnv &env,
                        DiagnosticSink &sink);

} // namespace lh

#endif // LH_STEPS_GRAPHLOADER_H
