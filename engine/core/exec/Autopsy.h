// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a worker died, in words.
#ifndef LH_CORE_EXEC_AUTOPSY_H
#define LH_CORE_EXEC_AUTOPSY_H

#include "core/plan/RunRecord.h"

namespace lh {

/// The outcome of the step in which a process ended with `waitStatus`
/// (waitpid's), having written `log` to standard error. It never is Passed.
StepOutcome autopsy(StepId step, int waitStatus, std::string log);

} // namespace lh

#endif // LH_CORE_EXEC_AUTOPSY_H
