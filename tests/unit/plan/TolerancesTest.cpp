// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The strongest level that gives a bound decides.
#include "core/plan/Tolerances.h"

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

TEST_CASE("who gives a bound is told", "[tolerances]") {
  PlannedComparison comparison;
  VerifyDecl verify;
  verify.tolerance.rtol = 0.5;
  verify.tolerance.where.file = "m.yaml";
  verify.tolerance.where.line = 7;
  setTolerances(comparison, atol(0.25), {}, verify, {});
  std::vector<std::string> lines = explainTolerance(comparison, DType::Float32);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "atol 0.25: the command line");
  CHECK(lines[1] == "rtol 0.5: verify at m.yaml:7");
  CHECK(explainTolerance(PlannedComparison(), DType::Float32)[0] ==
        "atol 1e-05: built in");
}

TEST_CASE("a tolerance by hand goes before auto, not before a mode",
          "[tolerances]") {
  PlannedComparison comparison;
  VerifyDecl verify;
  auto mode = [&](const ToleranceDecl &commandLine, const ToleranceDecl &own) {
    Selection selection;
    selection.tolerance = commandLine;
    setMode(comparison, selection, own, verify);
    return comparison.mode;
  };
  comparison.against = "oracle";
  CHECK(mode({}, {}) == OracleMode::Auto);
  CHECK(mode({}, atol(1)) == OracleMode::Tolerance);
  verify.mode = {OracleMode::Bound, {}};
  CHECK(mode({}, atol(1)) == OracleMode::Bound);
  CHECK(mode(atol(1), {}) == OracleMode::Tolerance);
  Selection selection;
  selection.tolerance = atol(1);
  selection.oracle = OracleMode::Ratio;
  setMode(comparison, selection, {}, verify);
  CHECK(comparison.mode == OracleMode::Ratio);
  comparison.against = "golden";
  CHECK(mode({}, {}) == OracleMode::Tolerance);
}
