// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who is told while a plan runs.
#ifndef LH_CORE_PLAN_RUNOBSERVER_H
#define LH_CORE_PLAN_RUNOBSERVER_H

#include "core/plan/RunRecord.h"

namespace lh {

/// Told of everything as it happens, always in the process that called
/// execute(). Does nothing by itself.
class RunObserver {
public:
  virtual ~RunObserver() = default;

  virtual void runStarted(const Plan &) {}
  virtual void stepStarted(const Step &) {}
  /// `outcome.log` holds what the step wrote to standard error.
  virtual void stepFinished(const Step &, const StepOutcome &) {}
  virtual void resultFinished(const ResultRecord &) {}
  virtual void runFinished(const RunRecord &) {}
};

} // namespace lh

#endif // LH_CORE_PLAN_RUNOBSERVER_H
