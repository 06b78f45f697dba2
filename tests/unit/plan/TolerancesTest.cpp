// The strongest level that gives a bound decides.
#include "plan/Tolerances.h"

#include <catch2/catch.hpp>

using namespace lh;

static ToleranceDecl atol(double bound) {
  ToleranceDecl tolerance;
  tolerance.atol = bound;
  return tolerance;
}

TEST_CASE("command line > case > verify > target, by type first",
          "[tolerances]") {
  ToleranceDecl commandLine, ofCase;
  VerifyDecl verify;
  TargetSpec target;
  auto bound = [&](DType dtype) {
    PlannedComparison comparison;
    setTolerances(comparison, commandLine, ofCase, verify, target);
    return toleranceFor(comparison, dtype).atol;
  };
  CHECK(bound(DType::Float32) == builtInTolerance(DType::Float32).atol);
  target.tolerance = atol(1);
  CHECK(bound(DType::Float32) == 1);
  target.perDtype["float16"] = atol(2);
  CHECK(bound(DType::Float32) == 1);
  CHECK(bound(DType::Float16) == 2);
  verify.tolerance = atol(3);
  CHECK(bound(DType::Float16) == 3);
  verify.perDtype["float16"] = atol(4);
  CHECK(bound(DType::Float16) == 4);
  CHECK(bound(DType::Float32) == 3);
  ofCase = atol(5);
  CHECK(bound(DType::Float16) == 5);
  commandLine = atol(6);
  CHECK(bound(DType::Float16) == 6);
}

TEST_CASE("each bound is resolved on its own", "[tolerances]") {
  PlannedComparison comparison;
  VerifyDecl verify;
  verify.tolerance.rtol = 0.5;
  setTolerances(comparison, atol(0.25), {}, verify, {});
  Tolerance tolerance = toleranceFor(comparison, DType::Float32);
  CHECK(tolerance.atol == 0.25);
  CHECK(tolerance.rtol == 0.5);
}

TEST_CASE("an exact oracle allows nothing", "[tolerances]") {
  PlannedComparison comparison;
  comparison.against = "oracle";
  VerifyDecl verify;
  verify.mode = OracleMode::Exact;
  setTolerances(comparison, {}, atol(1), verify, {});
  CHECK(toleranceFor(comparison, DType::Float32).atol == 0);
}
