// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Completes prefixes of a path, runs them and judges what comes out.
#ifndef LH_INSIGHT_DEBUG_PROBER_H
#define LH_INSIGHT_DEBUG_PROBER_H

#include "core/plan/FirstBad.h"
#include "steps/RunSetup.h"

#include <limits>

namespace lh {

/// What makes a prefix bad.
enum class FaultProperty {
  Mismatch, ///< a result is wrong, or the code for it fails
  Crash,    ///< the code can't be made or fails
  Nan,      ///< a NaN or an infinity where the reference has none
  Slow      ///< the code takes longer than allow() says
};

/// Steps that bring a half-done module to what a backend compiles.
struct Completion {
  std::string name; ///< of the library's bubble; empty: there is nothing to do
  /// How much is left to do: paths go from high ones to low ones.
  unsigned rank = 0;
  std::vector<Step> steps;
};

/// The library's completions, in the order in which they are to be tried.
FailureOr<std::vector<Completion>>
loadCompletions(const TargetSpec &target, const ResolveOptions &options,
                SourceStore &sources, DiagnosticSink &sink);

/// Whether a module was not yet what the backend takes: no fault of the code.
bool wasIncomplete(const StepOutcome &compiled);

/// What a probe has found.
struct Finding {
  Verdict verdict = Verdict::Unknown;
  std::string words; ///< "passes", or in which way it doesn't
  const Completion *completion = nullptr; ///< none where none could be made
  std::vector<size_t> results;            ///< in the prober's plan
  std::optional<size_t> badResult;        ///< the first of them that is bad
};

/// Owns the plan of a run and grows it by probes.
class Prober {
public:
  /// `tested` are results of one path in `record` which share its steps; each
  /// probe makes the same runs and the comparisons with `against`. All else is
  /// borrowed.
  Prober(RunRecord record, std::vector<size_t> tested, std::string against,
         ArrayRef<Completion> completions, RunSetup &setup,
         const ManifestRunOptions &options, RunObserver &observer,
         DiagnosticSink &sink);

  const Plan &plan() const { return grown; }
  ArrayRef<StepOutcome> outcomes() const { return known; }
  bool wasInterrupted() const { return interrupted; }

  /// Adds steps below `parent`, one below the other.
  FailureOr<std::vector<StepId>> addBelow(StepId parent, ArrayRef<Step> steps);

  /// Runs what leads to these steps.
  void runTo(ArrayRef<StepId> leaves);

  /// Completes what `prefix` leaves, in the first way of a rank from `least` to
  /// `most` that it can be compiled after, and runs it `repeat` times; bad if
  /// one of these is.
  Finding probe(StepId prefix, FaultProperty property, unsigned least = 0,
                unsigned most = ~0U, unsigned repeat = 1);

  ResultRecord judge(size_t result) const;

  /// Of a result that has run: the median of its calls; none: it wasn't timed.
  std::optional<double> secondsOf(size_t result) const;

  /// What a result may take; before, any time will do.
  void allow(double seconds) { mostSeconds = seconds; }

  /// Of a result that has run: whether it is bad, and how.
  std::pair<Verdict, std::string> verdictOn(size_t result,
                                            FaultProperty property) const;

private:
  /// One way of completing a prefix.
  struct Attempt {
    const Completion *completion = nullptr;
    StepId compile = 0;
    std::vector<size_t> results;
  };

  std::optional<Attempt> attempt(StepId prefix, const Completion &completion,
                                 unsigned repeat);
  bool isUsable(const Attempt &attempt, FaultProperty property) const;
  std::string whyUnusable(ArrayRef<Attempt> attempts) const;

  Plan grown;
  std::vector<StepOutcome> known;
  std::vector<size_t> tested;
  std::string against;
  Step compile; ///< of the tested path
  ArrayRef<Completion> completions;
  RunSetup &setup;
  ManifestRunOptions options;
  RunObserver &observer;
  DiagnosticSink &sink;
  bool interrupted = false;
  double mostSeconds = std::numeric_limits<double>::infinity();
};

} // namespace lh

#endif // LH_INSIGHT_DEBUG_PROBER_H
