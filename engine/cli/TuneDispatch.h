// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds of a search as batches that other processes measure, on this machine
// or on a cluster's.
#ifndef LH_CLI_TUNEDISPATCH_H
#define LH_CLI_TUNEDISPATCH_H

#include "cli/TuneTrials.h"
#include "insight/ci/WorkFolder.h"

namespace lh {

/// Where batches are measured.
enum class DispatchKind { Local, Slurm };

inline ArrayRef<StringRef> enumNames(DispatchKind) {
  static constexpr StringRef names[] = {"local", "slurm"};
  return names;
}

struct DispatchOptions {
  std::optional<DispatchKind> kind; ///< none: in this process
  std::string folder = "tune-rounds";
  size_t batches = 4; ///< of a round, which run at once
  unsigned cores = 1; ///< of each, for Slurm
};

/// What one process measures, and whether it may: it must see the same work.
struct TuneBatch {
  std::string work;   ///< TuneTrials::workKey()
  std::string module; ///< a file of MLIR in place of the cases; or empty
  std::string stamp;  ///< another for each final, which is never looked up
  bool everywhere = false;
  size_t sittings = 1;
  double timeLimit = 0, errorPercent = 0;
  bool dropsLosers = false;
  /// By trial: sites and points, as TuneTrials::sites() has them.
  std::vector<std::vector<std::pair<size_t, size_t>>> trials;
};

/// What came of it.
struct TuneBatchResult {
  std::string work, cpu, host;
  std::vector<TrialResult> trials;
};

FailureOr<TuneBatch> readBatch(StringRef path, DiagnosticSink &sink);
std::string writeBatchResult(const TuneBatchResult &result);

/// Measures the batch's trials in this process.
TuneBatchResult measureBatch(const TuneBatch &batch, TuneTrials &trials);

/// Sends rounds out. A batch that has ended is not measured again, so that who
/// begins anew after being killed goes on.
class TuneDispatch {
public:
  /// `words` are this process's command line, which batches repeat.
  TuneDispatch(const DispatchOptions &options, std::vector<std::string> words,
               DriverEnv &env, DiagnosticSink &sink);

  /// A folder that all who measure see.
  std::string folder() const { return place; }

  /// Whether nothing more can be measured, which has been said.
  bool isBroken() const { return broken; }

  /// As TuneTrials::tryAll(). Trials of batches that came to nothing are lost.
  std::vector<TrialResult> tryAll(ArrayRef<Assignment> round,
                                  const RoundOptions &options,
                                  const TuneTrials &trials);

private:
  TaskJob jobFor(const TuneBatch &batch);
  void runAll(ArrayRef<TaskJob> jobs, const TuneTrials &trials);
  void submit(ArrayRef<TaskJob> jobs, const TuneTrials &trials);
  FailureOr<TuneBatchResult> resultOf(const TaskJob &job,
                                      const TuneTrials &trials);

  const DispatchOptions &options;
  std::vector<std::string> words;
  DriverEnv &env;
  DiagnosticSink &sink;
  std::string place;
  size_t finals = 0;
  bool broken = false;
};

} // namespace lh

#endif // LH_CLI_TUNEDISPATCH_H
