// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a pipeline without some of its gaps, beside the full one.
#ifndef LH_CLI_GAPTRIALS_H
#define LH_CLI_GAPTRIALS_H

#include "cli/PathTrials.h"
#include "core/bench/GapRecord.h"
#include "insight/report/Profile.h"

#include <set>

namespace lh {

/// Adds a path to the pipeline's plan for each trial.
class GapTrials {
public:
  GapTrials(const ManifestRunOptions &run, const MeasureOptions &measure,
            DriverEnv &env, SourceStore &sources, StreamSink &sink);

  /// Reads the manifest and plans one pipeline on one case and target: the
  /// first of each, unless the options say more. Fails after saying why.
  LogicalResult setUp();

  /// Whether it can't run here, after saying so.
  bool cannotRun() const { return trials.cannotRun(); }

  /// Runs the full pipeline, and sees which gaps it uses. Fails, after its
  /// report, where it isn't right or wasn't compared with anything.
  LogicalResult runFull();

  /// The gaps that it uses, in the order of names.
  const std::set<std::string> &used() const { return usedGaps; }

  /// Runs, judges and measures it without `gaps`: in two processes, unless the
  /// first leaves no doubt.
  GapTrial leaveOut(std::string name, std::vector<std::string> gaps);

  bool wasInterrupted() const { return trials.interrupted; }

  /// What is known of the full pipeline.
  GapRecord record() const;

private:
  /// What came of one process, and where the time of both pipelines' calls
  /// goes.
  struct Attempt {
    GapTrial trial;
    std::optional<ProfiledResult> before, now;
  };

  LogicalResult refuse();
  Attempt attempt(StringRef name, ArrayRef<std::string> gaps);
  GapTrial judged(ArrayRef<size_t> results, const PathTrials::Heat &heat) const;

  PathTrials trials;
  RunRecord &full = trials.full;
  MeasureOptions measuring;
  std::set<std::string> usedGaps;
  std::optional<double> fullSeconds;
};

} // namespace lh

#endif // LH_CLI_GAPTRIALS_H
