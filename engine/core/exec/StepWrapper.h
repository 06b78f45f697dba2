// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one place through which every step goes.
#ifndef LH_CORE_EXEC_STEPWRAPPER_H
#define LH_CORE_EXEC_STEPWRAPPER_H

#include "core/exec/MachineLock.h"
#include "core/exec/StepRunner.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <chrono>

namespace lh {

/// A clock that the processes of a machine share.
double secondsOfClock(std::chrono::steady_clock::time_point time);

/// Waits for the machine, says that `step` starts, runs it, and measures its
/// time and memory. The outcome's `begin` is by secondsOfClock.
StepOutcome runStep(const Step &step, StepRunner &runner, MachineLock &machine,
                    llvm::function_ref<void(const Step &)> started);

} // namespace lh

#endif // LH_CORE_EXEC_STEPWRAPPER_H
