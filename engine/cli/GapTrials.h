// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a pipeline without some of its gaps, beside the full one.
#ifndef LH_CLI_GAPTRIALS_H
#define LH_CLI_GAPTRIALS_H

#include "cli/Measurement.h"
#include "core/bench/GapRecord.h"
#include "insight/report/Profile.h"
#include "steps/RunSetup.h"

#include <set>

namespace lh {

/// Owns the plan of the full pipeline and grows it by one path for each trial.
/// The oracle and what else results are compared with run once.
class GapTrials {
public:
  GapTrials(const ManifestRunOptions &run, const MeasureOptions &measure,
            DriverEnv &env, SourceStore &sources, StreamSink &sink);

  /// Reads the manifest and plans one pipeline on one case and target: the
  /// first of each, unless the options say more. Fails after saying why.
  LogicalResult setUp();

  /// Whether it can't run here, after saying so.
  bool cannotRun() const;

  /// Runs the full pipeline, and sees which gaps it uses. Fails, after its
  /// report, where it isn't right or wasn't compared with anything.
  LogicalResult runFull();

  /// The gaps that it uses, in the order of names.
  const std::set<std::string> &used() const { return usedGaps; }

  /// Runs, judges and measures it without `gaps`: in two processes, unless the
  /// first leaves no doubt.
  GapTrial leaveOut(std::string name, std::vector<std::string> gaps);

  bool wasInterrupted() const { return interrupted; }

  /// What is known of the full pipeline.
  GapRecord record() const;

private:
  /// What came of a path beside the full pipeline's: judged results, the path's
  /// own last, and what was measured.
  struct Heat {
    RunRecord run;
    BenchRecord measured;
  };

  /// What came of one process, and where the time of both pipelines' calls
  /// goes.
  struct Attempt {
    GapTrial trial;
    std::optional<ProfiledResult> before, now;
  };

  Engine::Options engineOptions();
  std::string whyAmbiguous() const;
  LogicalResult refuse();
  bool hasClock() const;
  bool isMeasured(size_t result) const;
  Attempt attempt(StringRef name, ArrayRef<std::string> gaps);
  Heat run(ArrayRef<size_t> results);
  LogicalResult runSteps(ArrayRef<StepId> leaves);
  GapTrial judged(ArrayRef<size_t> results, const Heat &heat) const;
  void dropOutputs(ArrayRef<size_t> results);
  std::optional<std::string> failureOf(size_t result) const;
  double compileSeconds(size_t result) const;

  ManifestRunOptions options;
  MeasureOptions measuring;
  DriverEnv &env;
  SourceStore &sources;
  StreamSink &sink;
  ScratchFolder cacheFolder; ///< of this command's own: each trial is a first
  int core = quietCore();
  unsigned threads = 1;
  std::optional<BenchSeats> seats; ///< of the steps that run
  std::optional<RunSetup> setup;
  RunRecord full;             ///< grows; its results are the full pipeline's
  std::vector<size_t> tested; ///< those, where they passed
  std::set<std::string> usedGaps;
  std::optional<double> fullSeconds;
  bool interrupted = false;
};

} // namespace lh

#endif // LH_CLI_GAPTRIALS_H
