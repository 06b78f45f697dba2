// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tolerance holds for a comparison.
#ifndef LH_CORE_PLAN_TOLERANCES_H
#define LH_CORE_PLAN_TOLERANCES_H

#include "core/numerics/Comparator.h"
#include "core/plan/MakePlan.h"

namespace lh {

/// Sets both tolerances of `comparison`: command line > case > verify for the
/// type > verify > target for the type > target. What none of them gives is
/// the comparator's own (builtInTolerance).
void setTolerances(PlannedComparison &comparison,
                   const ToleranceDecl &commandLine,
                   const ToleranceDecl &caseTolerance, const VerifyDecl &verify,
                   const TargetSpec &target);

/// Sets how a comparison with the oracle is decided: as the command line says,
/// by a mode or by a tolerance; else as `verify: oracle:` says; else by
/// tolerance when the case or `verify:` gives one; else automatically.
void setMode(PlannedComparison &comparison, const Selection &commandLine,
             const ToleranceDecl &caseTolerance, const VerifyDecl &verify);

/// The bounds for an output of this type, complete.
Tolerance toleranceFor(const PlannedComparison &comparison, DType dtype);

/// Which level gives each of these bounds, a line each.
std::vector<std::string> explainTolerance(const PlannedComparison &comparison,
                                          DType dtype);

} // namespace lh

#endif // LH_CORE_PLAN_TOLERANCES_H
