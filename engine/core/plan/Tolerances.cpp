// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tolerance holds for a comparison.
#include "core/plan/Tolerances.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace lh;

namespace {
struct Level {
  std::string name;
  const ToleranceDecl &tolerance;
};
} // namespace

/// Takes each bound from the first level that gives it.
static MergedTolerance merge(ArrayRef<Level> strongestFirst) {
  MergedTolerance merged;
  auto take = [](auto &bound, const auto &given, const Level &level) {
    if (!bound && given)
      bound = {*given, level.name, level.tolerance.where};
  };
  for (const Level &level : strongestFirst) {
    take(merged.atol, level.tolerance.atol, level);
    take(merged.rtol, level.tolerance.rtol, level);
    take(merged.ulp, level.tolerance.ulp, level);
  }
  return merged;
}

static const ToleranceDecl &
ofType(const std::map<std::string, ToleranceDecl> &levels,
       const std::string &dtype) {
  static const ToleranceDecl nothing;
  auto found = levels.find(dtype);
  return found == levels.end() ? nothing : found->second;
}

void lh::setTolerances(PlannedComparison &comparison,
                       const ToleranceDecl &commandLine,
                       const ToleranceDecl &caseTolerance,
                       const VerifyDecl &verify, const TargetSpec &target) {
  std::string ofTarget = "target '" + target.name + "'";
  comparison.tolerance = merge({{"the command line", commandLine},
                                {"the case", caseTolerance},
                                {"verify", verify.tolerance},
                                {ofTarget, target.tolerance}});
  std::set<std::string> dtypes;
  for (const auto *levels : {&verify.perDtype, &target.perDtype})
    for (const auto &[dtype, tolerance] : *levels)
      dtypes.insert(dtype);
  for (const std::string &dtype : dtypes)
    comparison.perDtype[dtype] =
        merge({{"the command line", commandLine},
               {"the case", caseTolerance},
               {"verify for " + dtype, ofType(verify.perDtype, dtype)},
               {"verify", verify.tolerance},
               {ofTarget + " for " + dtype, ofType(target.perDtype, dtype)},
               {ofTarget, target.tolerance}});
}

void lh::setMode(PlannedComparison &comparison, const Selection &commandLine,
                 const ToleranceDecl &caseTolerance, const VerifyDecl &verify) {
  comparison.mode = OracleMode::Tolerance;
  if (comparison.against != "oracle")
    return;
  if (commandLine.oracle)
    comparison.mode = *commandLine.oracle;
  if (commandLine.oracle || commandLine.tolerance.saysAnything())
    return;
  bool byHand = caseTolerance.saysAnything() ||
                verify.tolerance.saysAnything() ||
                llvm::any_of(verify.perDtype, [](const auto &level) {
                  return level.second.saysAnything();
                });
  if (verify.mode) {
    comparison.mode = verify.mode->value;
    comparison.modeFrom = verify.mode->where;
  } else if (!byHand) {
    comparison.mode = OracleMode::Auto;
  }
}

static const MergedTolerance &mergedFor(const PlannedComparison &comparison,
                                        DType dtype) {
  auto found = comparison.perDtype.find(dtypeName(dtype).str());
  return found == comparison.perDtype.end() ? comparison.tolerance
                                            : found->second;
}

Tolerance lh::toleranceFor(const PlannedComparison &comparison, DType dtype) {
  const MergedTolerance &given = mergedFor(comparison, dtype);
  Tolerance tolerance = builtInTolerance(dtype);
  if (given.atol)
    tolerance.atol = given.atol->value;
  if (given.rtol)
    tolerance.rtol = given.rtol->value;
  if (given.ulp)
    tolerance.ulp = given.ulp->value;
  return tolerance;
}

template <typename T>
static std::string explain(StringRef name, double value,
                           const std::optional<MergedBound<T>> &bound) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << name << ' ' << llvm::format("%g", value) << ": ";
  if (!bound) {
    stream << "built in";
    return text;
  }
  stream << bound->from;
  if (bound->where.isKnown())
    stream << " at " << bound->where.file << ':' << bound->where.line;
  return text;
}

std::vector<std::string>
lh::explainTolerance(const PlannedComparison &comparison, DType dtype) {
  const MergedTolerance &given = mergedFor(comparison, dtype);
  Tolerance tolerance = toleranceFor(comparison, dtype);
  std::vector<std::string> lines = {
      explain("atol", tolerance.atol, given.atol),
      explain("rtol", tolerance.rtol, given.rtol)};
  if (tolerance.ulp)
    lines.push_back(explain("ulp", double(*tolerance.ulp), given.ulp));
  return lines;
}
