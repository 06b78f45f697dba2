// What every command that runs a plan begins with.
#ifndef LH_DRIVER_RUNSETUP_H
#define LH_DRIVER_RUNSETUP_H

#include "driver/Engine.h"
#include "driver/GraphLoader.h"
#include "driver/ScratchFolder.h"

namespace lh {

/// An engine with its temporary folder, and the graph of the manifest.
struct RunSetup {
  std::unique_ptr<ScratchFolder> scratch;
  std::unique_ptr<Engine> engine;
  ResolvedGraph graph;

  /// Plans for this machine, and checks what can be before anything runs.
  FailureOr<Plan> plan(const Selection &selection, const DriverEnv &env,
                       DiagnosticSink &sink);
};

/// `options.scratchFolder` is filled in here. Reports what is wrong with the
/// engine's options and with the manifest.
FailureOr<RunSetup> setUpRun(const GraphOptions &graph, Engine::Options options,
                             SourceStore &sources, const DriverEnv &env,
                             DiagnosticSink &sink);

} // namespace lh

#endif // LH_DRIVER_RUNSETUP_H
