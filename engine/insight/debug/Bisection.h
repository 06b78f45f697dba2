// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the bubble, the pass and the operation that a fault comes from.
#ifndef LH_INSIGHT_DEBUG_BISECTION_H
#define LH_INSIGHT_DEBUG_BISECTION_H

#include "compiler/session/StepParts.h"
#include "insight/debug/Prober.h"

namespace lh {

/// What to look for, and how hard.
struct BisectionOptions {
  ManifestRunOptions run;
  std::string property;  ///< mismatch, crash, nan or slow; empty: what fails
  double slowerThan = 2; ///< "slow": so many times the plain lowering's time
  unsigned repeat = 1;   ///< runs of each probe
};

/// The first element that the reference doesn't allow.
struct WrongElement {
  std::string output;
  std::vector<int64_t> index;
  double actual = 0, expected = 0;
  std::string against;
};

/// Where a fault is, as far as it could be told.
struct Fault {
  ResultKey key; ///< of the result that showed it
  FaultProperty property = FaultProperty::Mismatch;
  std::string bubble; ///< its elementary bubble: 'tile/dot'
  SourceSpan bubbleAt;
  std::vector<std::string> beside; ///< bubbles that it can't be told from
  /// Of a bubble of several passes, or a schedule: the part, from 1.
  std::optional<StepPart> part;
  size_t partNumber = 0, partCount = 0;
  /// Of a schedule's operation on several: which one, from 1.
  size_t targetNumber = 0, targetCount = 0;
  std::optional<ModuleChange> change;
  std::string words; ///< what goes wrong
  std::optional<WrongElement> wrong;
  unsigned bubbleProbes = 0, innerProbes = 0;

  /// What a reproducer needs: the step whose module is still good (none: there
  /// is no module before), the action after which it isn't, and what completed
  /// the two (null: nothing, it isn't run).
  std::optional<StepId> goodStep, badStep;
  /// The module that `action` (and `soundAction`, where there is one) runs on.
  std::optional<StepId> inputStep;
  std::optional<StepAction> action, soundAction;
  const Completion *soundCompletion = nullptr, *completion = nullptr;
  std::optional<size_t> goodResult, badResult; ///< in the prober's plan
};

/// One search. Everything is borrowed.
class Bisection {
public:
  /// `observer` is told of each run.
  Bisection(const BisectionOptions &options, RunSetup &setup,
            SourceStore &sources, DriverEnv &env, RunObserver &observer,
            DiagnosticSink &sink)
      : options(options), setup(setup), sources(sources), env(env),
        observer(observer), sink(sink) {}

  /// Plans and runs the whole, before it searches. Fails when the manifest's
  /// words don't fit it: bad usage.
  LogicalResult runWhole();

  /// Says on the way what the probes show. Fails, after saying why, when there
  /// is nothing to find or the fault was lost.
  FailureOr<Fault> find();

  Prober &prober() { return *probes; }

private:
  LogicalResult choose();
  void readProperty();
  bool isTested(size_t result) const;
  void printHead(const ResultRecord &failed) const;
  FailureOr<Fault> searchPath();
  FailureOr<Finding> timePlain();
  LogicalResult checkWhole();
  LogicalResult reportInterrupt();
  LogicalResult confirm(const Fault &fault, StepId good, StepId bad);
  Finding ask(StepId prefix, const std::string &name, unsigned least,
              unsigned most);
  Finding askAt(size_t index, unsigned least, unsigned most);
  FailureOr<Fault> faultOfImport(const Finding &imported);
  Fault faultBetween(const FirstBad &found, const Finding &good,
                     const Finding &bad);
  FailureOr<Fault> fromFailure();
  void searchInside(Fault &fault, StepId before, StepId step);
  bool searchPasses(Fault &fault, StepId before, const PassesAction &action);
  bool searchSchedule(Fault &fault, StepId before,
                      const ScheduleAction &action);
  void searchTargets(Fault &fault, StepId before, const StepPart &part);
  void describe(Fault &fault);
  Finding askFailing(StepId step, const std::string &name);
  Finding askPart(StepId step, const std::string &name);
  Step stepOf(const StepAction &action, const Fault &fault) const;
  void say(const Twine &line) const {
    env.out << line << '\n';
    env.out.flush();
  }

  const BisectionOptions &options;
  RunSetup &setup;
  SourceStore &sources;
  DriverEnv &env;
  RunObserver &observer;
  DiagnosticSink &sink;

  RunRecord record;
  std::vector<size_t> tested;
  std::string against;
  FaultProperty property = FaultProperty::Mismatch;
  std::vector<Completion> completions;
  std::unique_ptr<Prober> probes;
  std::vector<StepId> path; ///< of the tested result, to its run
  std::optional<StepId> compileStep;
  size_t lengthToCompile = 0; ///< how many steps come before it
  unsigned asked = 0;
  double plainSeconds = 0;  ///< of the imported module, lowered plainly
  bool failsInStep = false; ///< the path's own step fails; nothing is run
};

/// What is wrong first in a result of the prober that was judged to be bad.
std::optional<WrongElement> firstWrong(const Prober &prober, size_t result);

} // namespace lh

#endif // LH_INSIGHT_DEBUG_BISECTION_H
