// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans that begin in the middle of a path, from a module that was kept.
#ifndef LH_CORE_PLAN_RESUME_H
#define LH_CORE_PLAN_RESUME_H

#include "core/plan/Plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lh {

/// Finds the file of the module after a step, or reports why there is none.
using SnapshotFinder = llvm::function_ref<FailureOr<std::string>(StepId)>;

/// `plan` without the bubbles up to and with what `bubble` names
/// (bubblesNamed()), whose module is imported from a file instead. Results of
/// paths without it are left out. What references need from the beginning, the
/// oracle's lowerings among it, still runs. Reports every file that isn't
/// there, and a bubble that is in no path.
FailureOr<Plan> resumeAfter(const Plan &plan, StringRef bubble,
                            SnapshotFinder find, DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_PLAN_RESUME_H
