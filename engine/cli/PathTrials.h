// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs variants of one pipeline beside it: right or wrong, and how fast.
#ifndef LH_CLI_PATHTRIALS_H
#define LH_CLI_PATHTRIALS_H

#include "cli/Measurement.h"
#include "steps/RunSetup.h"

namespace lh {

/// Owns the plan of a pipeline on one case and target, which grows by a path
/// for each variant. The oracle and what else results are compared with run
/// once.
class PathTrials {
public:
  /// What came of variants beside the pipeline: judged results, the pipeline's
  /// first, and what was measured.
  struct Heat {
    RunRecord run;
    BenchRecord measured;
  };

  PathTrials(const ManifestRunOptions &run, DriverEnv &env,
             SourceStore &sources, StreamSink &sink);

  /// What engines of trials have in common; the caller adds its own.
  Engine::Options engineOptions();

  /// Reads the manifest and plans one pipeline on one case and target: the
  /// first of each, unless the options say more. `what` begins the message
  /// where they say several: "gaps are left out of". Fails after saying why.
  LogicalResult setUp(const Engine::Options &engine, StringRef what);

  /// Whether it can't run here, after saying so.
  bool cannotRun() const;

  /// Runs the pipeline, finds out how long steps may take and how much memory
  /// they need, and which of its results passed.
  void runFull();

  /// Emulated and simulated code runs, but its time says nothing.
  bool hasClock() const;

  /// Runs what leads to `results`, which were added to the plan, judges them,
  /// and where there is a clock measures those that are worth it beside the
  /// pipeline.
  Heat run(ArrayRef<size_t> results, const MeasureOptions &measure,
           llvm::function_ref<bool(size_t)> isWorthATurn = nullptr);

  /// How a result's path breaks; nothing where it runs.
  std::optional<std::string> failureOf(size_t result) const;
  double compileSeconds(size_t result) const;
  /// They are judged, and may be large.
  void dropOutputs(ArrayRef<size_t> results);

  /// `measure` with what a call may take.
  MeasureOptions limited(MeasureOptions measure) const {
    measure.stepTimeout = options.stepTimeout;
    return measure;
  }

  /// What is changed of the graph before it is planned; may be empty.
  std::function<void(ResolvedGraph &)> adapt;

  ManifestRunOptions options;
  DriverEnv &env;
  SourceStore &sources;
  StreamSink &sink;
  std::optional<RunSetup> setup;
  Selection selection;
  RunRecord full;             ///< grows; its results are the pipeline's
  std::vector<size_t> tested; ///< those that passed
  bool interrupted = false;

private:
  std::string whyAmbiguous(StringRef what) const;
  bool isMeasured(size_t result) const;
  LogicalResult runSteps(ArrayRef<StepId> leaves);

  ScratchFolder cacheFolder; ///< of this command's own: each trial is a first
  int core = quietCore();
  unsigned threads = 1;
  std::optional<BenchSeats> seats; ///< of the steps that run
};

/// The row of `pipeline`; null where there is none.
const BenchRow *rowOf(const BenchRecord &measured, StringRef pipeline);

} // namespace lh

#endif // LH_CLI_PATHTRIALS_H
