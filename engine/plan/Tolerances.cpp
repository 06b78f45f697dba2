// Which tolerance holds for a comparison.
#include "plan/Tolerances.h"

#include <set>

using namespace lh;

ToleranceDecl lh::mergeTolerances(ArrayRef<ToleranceDecl> strongestFirst) {
  ToleranceDecl merged;
  for (const ToleranceDecl &next : strongestFirst) {
    if (!merged.atol)
      merged.atol = next.atol;
    if (!merged.rtol)
      merged.rtol = next.rtol;
    if (!merged.ulp)
      merged.ulp = next.ulp;
  }
  return merged;
}

static ToleranceDecl ofType(const std::map<std::string, ToleranceDecl> &levels,
                            const std::string &dtype) {
  auto found = levels.find(dtype);
  return found == levels.end() ? ToleranceDecl() : found->second;
}

void lh::setTolerances(PlannedComparison &comparison,
                       const ToleranceDecl &commandLine,
                       const ToleranceDecl &caseTolerance,
                       const VerifyDecl &verify, const TargetSpec &target) {
  // `oracle: exact` is a bound too, and only the command line is stronger.
  ToleranceDecl exact;
  if (comparison.against == "oracle" && verify.mode == OracleMode::Exact)
    exact = {0.0, 0.0, 0};
  comparison.tolerance = mergeTolerances(
      {commandLine, exact, caseTolerance, verify.tolerance, target.tolerance});
  std::set<std::string> dtypes;
  for (const auto *levels : {&verify.perDtype, &target.perDtype})
    for (const auto &[dtype, tolerance] : *levels)
      dtypes.insert(dtype);
  for (const std::string &dtype : dtypes)
    comparison.perDtype[dtype] = mergeTolerances(
        {commandLine, exact, caseTolerance, ofType(verify.perDtype, dtype),
         verify.tolerance, ofType(target.perDtype, dtype), target.tolerance});
}

Tolerance lh::toleranceFor(const PlannedComparison &comparison, DType dtype) {
  auto found = comparison.perDtype.find(dtypeName(dtype).str());
  const ToleranceDecl &given =
      found == comparison.perDtype.end() ? comparison.tolerance : found->second;
  Tolerance tolerance = builtInTolerance(dtype);
  tolerance.atol = given.atol.value_or(tolerance.atol);
  tolerance.rtol = given.rtol.value_or(tolerance.rtol);
  if (given.ulp)
    tolerance.ulp = given.ulp;
  return tolerance;
}
