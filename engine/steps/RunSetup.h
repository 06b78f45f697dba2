// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every command that runs a plan begins with.
#ifndef LH_STEPS_RUNSETUP_H
#define LH_STEPS_RUNSETUP_H

#include "core/plan/RunObserver.h"
#include "core/plan/RunRecord.h"
#include "core/support/ScratchFolder.h"
#include "steps/Engine.h"
#include "steps/GraphLoader.h"

namespace lh {

/// An engine with its temporary folder, and the graph of the manifest.
struct RunSetup {
  std::unique_ptr<ScratchFolder> scratch;
  std::unique_ptr<Engine> engine;
  ResolvedGraph graph;

  /// Plans for this machine, and checks what can be before anything runs: also
  /// that it starts no program which the command line doesn't allow.
  FailureOr<Plan> plan(const Selection &selection, const DriverEnv &env,
                       DiagnosticSink &sink);

  /// Does `plan` as `options` say, with the cache where there is one.
  RunRecord run(const Plan &plan, const ManifestRunOptions &options,
                RunObserver &observer);
  /// The same for all of `plan`, whatever fails, without telling anybody.
  RunRecord runToEnd(const Plan &plan, ManifestRunOptions options);
};

/// Without a graph. What `options` takes from `graph`, and the scratch folder,
/// are filled in here.
FailureOr<RunSetup> setUpEngine(const GraphOptions &graph,
                                Engine::Options options, DiagnosticSink &sink);

/// Reports what is wrong with the engine's options and with the manifest.
FailureOr<RunSetup> setUpRun(const GraphOptions &graph, Engine::Options options,
                             SourceStore &sources, const DriverEnv &env,
                             DiagnosticSink &sink);

/// One case of the graph, the first, unless others are asked for.
void restrictToOneCase(const ResolvedGraph &graph, Selection &selection);

/// What the options pick, feed and judge by.
Selection selectionFor(const ManifestRunOptions &options);

} // namespace lh

#endif // LH_STEPS_RUNSETUP_H
