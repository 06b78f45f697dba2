// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tries choices of a pipeline's sites: a pipeline for each, beside the default.
#ifndef LH_CLI_TUNETRIALS_H
#define LH_CLI_TUNETRIALS_H

#include "cli/TuneSites.h"
#include "core/plan/JoinPlan.h"
#include "core/tune/TrialLog.h"

namespace lh {

/// A point for some of the sites; the others are left to the rules.
using Assignment = std::map<size_t, size_t>;

/// What came of an assignment.
struct TrialResult {
  TrialOutcome outcome = TrialOutcome::Measured;
  std::string reason;
  std::optional<SampleStatistics> seconds, ratio; ///< default's time to its own
  std::vector<double> sittings; ///< the ratio's median in each
  std::optional<double> baseSeconds;
  std::string code; ///< hash of its object code
  double compileSeconds = 0;
  std::optional<double> cost; ///< its time to the default's
  std::string host;           ///< that measured it; empty: this one
};

/// How a round is tried.
struct RoundOptions {
  MeasureOptions measure;
  /// On all data sets, not the case's own inputs alone.
  bool everywhere = false;
  /// How often it takes turns with the default, each time in new processes.
  size_t sittings = 1;
};

class TuneDispatch;

/// Owns one pipeline's plan and adds a path for each trial.
class TuneTrials {
public:
  /// `module`, a file of MLIR, is run in place of the manifest's cases; empty:
  /// these.
  TuneTrials(const ManifestRunOptions &run, std::string module, DriverEnv &env,
             SourceStore &sources, StreamSink &sink);

  /// Has others measure from now on.
  void dispatchTo(TuneDispatch &others) { dispatch = &others; }

  /// Plans and runs the default. Nothing where all is well, else the exit code,
  /// after saying why.
  std::optional<int> begin();

  const std::vector<TuneSite> &sites() const { return all; }

  /// Tries each of `round`. Results in their order.
  std::vector<TrialResult> tryAll(ArrayRef<Assignment> round,
                                  const RoundOptions &options);

  /// What the default was made of: its model, files and versions.
  std::string workKey() const;
  /// The path's import, and the function that it runs.
  Step importStep() const;
  std::string entry() const;
  /// The module in place of the cases; empty: these.
  const std::string &module() const { return moduleFile; }
  /// What a machine must have to run the target's code.
  std::vector<std::string> labels() const;
  Engine &engine() { return *paths.setup->engine; }
  const ResultKey &key() const { return paths.full.results[measured].key; }
  const HostFacts &host() const { return paths.setup->engine->host(); }
  /// Or nothing can be measured any more.
  bool wasInterrupted() const;

private:
  struct Variant {
    std::vector<size_t> results; ///< in the plan; none: it isn't there
    TrialResult trial;
  };

  std::optional<int> refuse();
  void addVariant(const Assignment &assignment, bool everywhere,
                  Variant &variant);
  void judge(const PathTrials::Heat &heat, Variant &variant);
  void addTimes(const PathTrials::Heat &heat, Variant &variant);
  void addSitting(const MeasureOptions &measure,
                  std::vector<Variant> &variants);
  std::string codeOf(size_t result) const;
  bool isHopeless(size_t result) const;

  PathTrials paths;
  std::string moduleFile;
  TuneDispatch *dispatch = nullptr;
  std::optional<StepTree> tree;
  std::vector<TuneSite> all;
  size_t measured = 0; ///< the default's result on the case's own inputs
  size_t count = 0;    ///< of variants, for their names
  std::optional<double> secondsOfDefault;
  /// By code: the first trial that had it.
  std::map<std::string, TrialResult> byCode;
};

} // namespace lh

#endif // LH_CLI_TUNETRIALS_H
