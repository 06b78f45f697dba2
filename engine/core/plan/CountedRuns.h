// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which runs of a plan count what their code computes.
#ifndef LH_CORE_PLAN_COUNTEDRUNS_H
#define LH_CORE_PLAN_COUNTEDRUNS_H

#include "core/plan/Plan.h"

namespace lh {

/// Has the first tested run of each compiled code count its arithmetic, and
/// its compile step build the counters. References don't count.
void countArithmetic(Plan &plan);

/// The run that counted for what `leaf` ran; none where nothing was to count.
std::optional<StepId> countingRunOf(const Plan &plan, StepId leaf);

} // namespace lh

#endif // LH_CORE_PLAN_COUNTEDRUNS_H
