// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every command that runs a plan begins with.
#ifndef LH_CLI_RUNSETUP_H
#define LH_CLI_RUNSETUP_H

#include "cli/Engine.h"
#include "cli/GraphLoader.h"
#include "cli/ScratchFolder.h"
#include "core/plan/RunRecord.h"

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
};

/// `options.scratchFolder` is filled in here. Reports what is wrong with the
/// engine's options and with the manifest.
FailureOr<RunSetup> setUpRun(const GraphOptions &graph, Engine::Options options,
                             SourceStore &sources, const DriverEnv &env,
                             DiagnosticSink &sink);

/// What the flags of `run` pick.
Selection selectionFor(const RunCommandOptions &options);

/// `env` without what is shown while a run goes on.
DriverEnv quietly(const DriverEnv &env);

/// Does `plan` as the flags say, and shows on a terminal how it goes.
RunRecord runPlan(const Plan &plan, Engine &engine,
                  const RunCommandOptions &options, const std::string &scratch,
                  const DriverEnv &env);

/// `lh-run run`: the exit code, and what happened if anything was run.
std::pair<int, std::optional<RunRecord>>
runAndReport(const RunCommandOptions &options, DriverEnv &env);

} // namespace lh

#endif // LH_CLI_RUNSETUP_H
