// Which tolerance holds for a comparison.
#ifndef LH_PLAN_TOLERANCES_H
#define LH_PLAN_TOLERANCES_H

#include "numerics/Comparator.h"
#include "plan/Plan.h"

namespace lh {

/// Takes each bound from the first of `strongestFirst` that gives it.
ToleranceDecl mergeTolerances(ArrayRef<ToleranceDecl> strongestFirst);

/// Sets both tolerances of `comparison`: command line > case > verify for the
/// type > verify > target for the type > target. What none of them gives is
/// the comparator's own (builtInTolerance).
void setTolerances(PlannedComparison &comparison,
                   const ToleranceDecl &commandLine,
                   const ToleranceDecl &caseTolerance, const VerifyDecl &verify,
                   const TargetSpec &target);

/// The bounds for an output of this type, complete.
Tolerance toleranceFor(const PlannedComparison &comparison, DType dtype);

} // namespace lh

#endif // LH_PLAN_TOLERANCES_H
