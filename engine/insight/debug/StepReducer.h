// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a failing step smaller: its passes or schedule, and its module.
#ifndef LH_INSIGHT_DEBUG_STEPREDUCER_H
#define LH_INSIGHT_DEBUG_STEPREDUCER_H

#include "insight/debug/FailureProbe.h"

#include <functional>

namespace lh {

/// How far a reduction came.
struct ReductionCounts {
  size_t passes = 0;      ///< 0: the step has none
  size_t scheduleOps = 0; ///< 0: it has no schedule
  size_t moduleOps = 0;
};

/// Holds a step, or the steps of one bubble, and the module that it fails on.
/// Everything that it keeps fails with the same signature.
class StepReducer {
public:
  StepReducer(Engine &engine, FailureProbe &probe, std::string scratchFolder,
              std::vector<Step> steps, FailureSignature wanted);

  /// Reads the module.
  LogicalResult load(const std::string &path, DiagnosticSink &sink);

  /// The steps on the module as it is; not asked for by reduce().
  StepOutcome runOnce();

  /// `isEnough` is asked between probes.
  void reduce(const std::function<bool()> &isEnough);

  ReductionCounts counts() const;
  size_t probeCount() const { return probes; }
  ArrayRef<Step> steps() const { return all; }
  const Reducer &module() const { return *input; }
  /// Of the last candidate that was kept.
  const StepOutcome &failureSeen() const { return seen; }

private:
  bool failsAlike(ArrayRef<Step> steps, const Reducer &on);
  bool keepIfAlike(std::vector<Step> steps);
  size_t passesThatPass(const Step &step);
  std::unique_ptr<Reducer> moduleAfter(const Step &prefix);
  void isolatePass();
  void dropPasses();
  void reduceSchedule();
  /// Whether one of the steps is of this kind.
  template <typename Action> bool does() const;

  Engine &engine;
  FailureProbe &probe;
  std::string scratchFolder;
  std::vector<Step> all;
  FailureSignature wanted;
  std::unique_ptr<Reducer> input;
  size_t scheduleOps = 0;
  size_t probes = 0;
  StepOutcome seen;
  std::function<bool()> isEnough;
};

} // namespace lh

#endif // LH_INSIGHT_DEBUG_STEPREDUCER_H
