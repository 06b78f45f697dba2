// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which runs of some code come first, and which count what it computes.
#ifndef LH_CORE_PLAN_FIRSTRUNS_H
#define LH_CORE_PLAN_FIRSTRUNS_H

#include "core/plan/Plan.h"

#include <map>

namespace lh {

/// Whether a run on this data set has meaning for whatever code; others turn
/// out to be not applicable once the code's signature is known.
bool isAlwaysApplicable(const DataSet &data);

/// By the step that loads code, the runs on it that may come first: in order,
/// up to one that is always applicable. `steps` may be a part of a plan's.
std::map<StepId, std::vector<StepId>> findFirstRuns(ArrayRef<Step> steps);

/// Has the first tested run of each compiled code count its arithmetic, and
/// its compile step build the counters. References don't count.
void countArithmetic(Plan &plan);

/// The run that counted for what `leaf` ran; none where nothing was to count.
std::optional<StepId> countingRunOf(const Plan &plan, StepId leaf);

} // namespace lh

#endif // LH_CORE_PLAN_FIRSTRUNS_H
