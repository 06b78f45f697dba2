// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides about one output by the strongest criterion that applies.
#include "core/plan/Judge.h"

#include "core/numerics/Distribution.h"
#include "core/numerics/IndependentErrors.h"
#include "core/numerics/Vacuity.h"
#include "core/numerics/Winograd.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace lh;

/// How often the plain lowering's error may be exceeded. FlashAttention's
/// tests allow the same.
static constexpr double ratioFactor = 2;

/// The same for an output of few independent errors, which may be small by
/// chance: the ratio of two root mean squares of n normal errors is above
/// exp(3.7 / sqrt(n)) about once in 10,000 times (ln F(n, n) has a deviation of
/// about 2 / sqrt(n)).
static double ratioFactorFor(double errors) {
  return std::max(ratioFactor,
                  std::exp(3.7 / std::sqrt(std::max(1.0, errors))));
}

/// Below this many roundings of the largest result, errors are not compared:
/// the plain lowering may be exact by chance.
static constexpr double floorRoundings = 4;

static double unitRoundoff(DType dtype) {
  switch (dtype) {
  case DType::Float64:
    return 0x1p-53;
  case DType::Float32:
    return 0x1p-24;
  case DType::Float16:
    return 0x1p-11;
  case DType::BFloat16:
    return 0x1p-8;
  default:
    return 0;
  }
}

static double operandRoundoff(StringRef operands) {
  if (operands == "bfloat16")
    return 0x1p-8;
  if (operands == "tf32-truncated")
    return 0x1p-10;
  return 0x1p-11; // float16 and tf32 have equally many bits
}

template <typename... Values>
static std::string formatted(const char *text, Values... values) {
  std::string result;
  llvm::raw_string_ostream(result) << llvm::format(text, values...);
  return result;
}

static Judgement judgeExactly(const Evidence &evidence, StringRef why) {
  Judgement judgement;
  judgement.criterion = Criterion::Exact;
  judgement.result =
      compareTensors(evidence.actual, evidence.expected, {0, 0, std::nullopt});
  judgement.basis = {why.str()};
  return judgement;
}

static Judgement judgeByBounds(const Evidence &evidence) {
  double largest = 0;
  bool rounds = false;
  for (int64_t i = 0, e = evidence.bounds->elementCount(); i < e; ++i) {
    double bound = evidence.bounds->at(i);
    rounds |= bound != 0;
    if (std::isfinite(bound))
      largest = std::max(largest, bound);
  }
  if (!rounds)
    return judgeExactly(evidence, "no value on the way is rounded");
  Judgement judgement;
  judgement.criterion = Criterion::Bound;
  judgement.result = compareTensors(evidence.actual, evidence.expected,
                                    {0, 0, std::nullopt}, evidence.bounds);
  double spacing = 2 * unitRoundoff(evidence.actual.dtype()) *
                   std::max(judgement.result.maxNorm, 0x1p-126);
  std::string text = formatted("derived per element, at most %.3g", largest);
  if (spacing > 0)
    text += formatted(" (%.3g ULP of the largest result)", largest / spacing);
  judgement.basis = {text};
  return judgement;
}

static Judgement judgeByTolerance(const Evidence &evidence) {
  Judgement judgement;
  judgement.result =
      compareTensors(evidence.actual, evidence.expected, evidence.tolerance);
  return judgement;
}

/// What declared changes of the algorithm add to the plain lowering's error:
/// a factor, and roundings of the largest result.
static std::pair<double, double> declaredAllowance(const NumericsDecl &numerics,
                                                   double unit) {
  double factor = 1, roundings = 0;
  if (numerics.winograd)
    factor *= winogradGrowth(int(numerics.winograd->value.tile),
                             int(numerics.winograd->value.filter));
  if (numerics.ulp)
    roundings += 2.0 * double(numerics.ulp->value);
  if (numerics.operands && unit > 0)
    roundings += 2 * operandRoundoff(numerics.operands->value) / unit;
  return {factor, roundings};
}

/// The error in the largest element and in the mean square, against the f64
/// oracle, may be twice that of the plain lowering.
static Judgement judgeByRatio(const Evidence &evidence) {
  CompareResult plain = compareTensors(*evidence.plain, evidence.expected, {});
  if (!plain.mismatch.empty() || !std::isfinite(plain.maxAbs)) {
    Evidence direct{evidence.actual, *evidence.plain};
    direct.tolerance = evidence.tolerance;
    Judgement judgement = judgeByTolerance(direct);
    judgement.basis = {"against the plain lowering, which leaves the type's "
                       "range where f64 doesn't"};
    return judgement;
  }
  DType dtype = evidence.actual.dtype();
  double unit = unitRoundoff(dtype);
  auto [factor, roundings] = declaredAllowance(evidence.numerics, unit);
  factor *=
      ratioFactorFor(independentErrors(*evidence.plain, evidence.expected));
  double floorMax = (floorRoundings + roundings) * unit * plain.maxNorm;
  double floorRms = (floorRoundings + roundings) * unit * plain.rmsExpected;
  // One step of a quantised output: a float's last bit decides a tie.
  if (dtype == DType::Int8 || dtype == DType::UInt8)
    floorMax = floorRms = 1;
  Judgement judgement;
  judgement.criterion = Criterion::Ratio;
  double allowed = factor * plain.maxAbs + floorMax;
  double allowedRms = factor * plain.rmsAbs + floorRms;
  judgement.result = compareTensors(evidence.actual, evidence.expected,
                                    {allowed, 0, std::nullopt});
  judgement.basis = {
      formatted("%.3g times the plain lowering's error (%.3g, mean square "
                "%.3g) plus %.3g",
                factor, plain.maxAbs, plain.rmsAbs, floorMax)};
  if (judgement.result.passed && judgement.result.rmsAbs > allowedRms) {
    judgement.result.passed = false;
    judgement.reason = formatted("the root mean square error is %.3g; %.3g, %g "
                                 "times the plain lowering's, is allowed",
                                 judgement.result.rmsAbs, allowedRms, factor);
  }
  return judgement;
}

double lh::slackByRatio(const Tensor &plain, const Tensor &oracle) {
  CompareResult result = compareTensors(plain, oracle, {});
  return result.mismatch.empty() ? ratioFactor * result.maxAbs : HUGE_VAL;
}

/// Positions may differ where the scores they name may be equal.
static Judgement judgePicks(const Evidence &evidence) {
  Judgement judgement;
  double allowed = 0;
  judgement.criterion = Criterion::Bound;
  if (!evidence.picks->bounds) {
    judgement.criterion = Criterion::Ratio;
    CompareResult plain =
        compareTensors(*evidence.plainScores, evidence.picks->scores, {});
    // Either score may be off by twice the plain lowering's error.
    allowed = 2 * ratioFactor * plain.maxAbs;
  }
  PickedValues values =
      readPicks(evidence.actual, evidence.expected, *evidence.picks, allowed);
  judgement.result = compareTensors(values.actual, values.expected,
                                    {0, 0, std::nullopt}, &values.bounds);
  judgement.basis = {"by the values at the positions, " +
                     std::to_string(values.moved) + " of which differ"};
  if (values.wrong > 0) {
    judgement.result.passed = false;
    judgement.reason =
        std::to_string(values.wrong) + " of " +
        std::to_string(evidence.actual.elementCount()) +
        " positions differ, and no rounding of what they name excuses it";
  }
  return judgement;
}

/// Selections may differ, in number as well, where rounding can decide.
static std::optional<Judgement> judgeSelection(const Evidence &evidence) {
  std::optional<std::string> fault =
      faultOfSelection(evidence.actual, *evidence.selection);
  if (!fault)
    return std::nullopt;
  Judgement judgement;
  judgement.criterion = Criterion::Ratio;
  judgement.result.elements = evidence.actual.elementCount();
  judgement.result.passed = fault->empty();
  judgement.result.mismatches = fault->empty() ? 0 : 1;
  judgement.reason = *fault;
  bool same = compareTensors(evidence.actual, evidence.expected, {}).passed;
  judgement.basis = {
      formatted("step by step, with scores off by %.3g and coordinates by %.3g",
                evidence.selection->scoreSlack, evidence.selection->boxSlack),
      same ? "the selection is the oracle's" : "the selection differs"};
  return judgement;
}

/// The plain lowering of a module in f64 is the oracle: its error is zero,
/// which says nothing of what is to be expected.
static bool hasRatio(const Evidence &evidence) {
  return evidence.plain && evidence.actual.dtype() != DType::Float64;
}

/// Bounds allow for the worst in each element; an algorithm that is worse
/// everywhere is only seen beside the plain lowering.
static Judgement judgeByBoundsAndRatio(const Evidence &evidence) {
  Judgement byBounds = judgeByBounds(evidence);
  if (!byBounds.result.passed || !hasRatio(evidence))
    return byBounds;
  Judgement byRatio = judgeByRatio(evidence);
  if (byRatio.criterion == Criterion::Ratio && !byRatio.result.passed)
    return byRatio;
  return byBounds;
}

/// Whether numbers that are exact in the source may be rounded on the way.
/// Functions that are some ULP off aren't among what is exact.
static bool changesAlgorithm(const NumericsDecl &numerics) {
  return numerics.winograd || numerics.operands;
}

static Judgement inapplicable(StringRef reason) {
  Judgement judgement;
  judgement.inapplicable = reason.str();
  return judgement;
}

static Judgement decide(const Evidence &evidence) {
  bool mustBeEqual =
      evidence.isExactSet && !changesAlgorithm(evidence.numerics);
  if (evidence.selection && evidence.mode == OracleMode::Auto && !mustBeEqual)
    if (std::optional<Judgement> judgement = judgeSelection(evidence))
      return *judgement;
  if (evidence.actual.shape() != evidence.expected.shape())
    return judgeByTolerance(evidence); // which tells the difference
  switch (evidence.mode) {
  case OracleMode::Tolerance:
    return judgeByTolerance(evidence);
  case OracleMode::Exact:
    return judgeExactly(evidence, "demanded");
  case OracleMode::Bound:
  case OracleMode::Proof:
    if (evidence.bounds)
      return judgeByBounds(evidence);
    if (!isAnyFloat(evidence.actual.dtype()))
      return judgeExactly(evidence, "integers that no rounding reaches");
    return inapplicable("no bound can be derived for this module");
  case OracleMode::Ratio:
    if (hasRatio(evidence))
      return judgeByRatio(evidence);
    return inapplicable(evidence.plain
                            ? "the oracle computes no more precisely than f64"
                            : "there is no plain result to measure against");
  case OracleMode::Auto:
    break;
  }
  if (mustBeEqual)
    return judgeExactly(evidence, "every value on the way is exact");
  if (evidence.picks && (evidence.picks->bounds || evidence.plainScores))
    return judgePicks(evidence);
  if (evidence.bounds)
    return judgeByBoundsAndRatio(evidence);
  if (hasRatio(evidence))
    return judgeByRatio(evidence);
  return judgeByTolerance(evidence);
}

/// Samples of one distribution are as good as equal ones.
static Judgement judgeByDistribution(const Evidence &evidence) {
  Judgement judgement = judgeByTolerance(evidence);
  if (judgement.result.passed || !judgement.result.mismatch.empty())
    return judgement;
  judgement = {};
  judgement.criterion = Criterion::Distribution;
  judgement.result.elements = evidence.actual.elementCount();
  SampleMoments expected = momentsOf(evidence.expected);
  std::optional<std::string> difference =
      differenceOf(momentsOf(evidence.actual), expected);
  judgement.result.passed = !difference;
  judgement.result.mismatches = difference ? 1 : 0;
  judgement.reason = difference.value_or("");
  judgement.basis = {formatted("drawn numbers, by their mean (%.4g), variance "
                               "(%.4g) and range (%.4g to %.4g)",
                               expected.mean, expected.variance, expected.least,
                               expected.largest)};
  return judgement;
}

/// Whether one number everywhere would be a sample of the same distribution.
static void findVacuousSample(const Evidence &evidence, Judgement &judgement) {
  SampleMoments expected = momentsOf(evidence.expected);
  SampleMoments constant = expected;
  constant.variance = constant.fourth = 0;
  constant.least = constant.largest = expected.mean;
  if (!differenceOf(constant, expected))
    judgement.vacuities.push_back(
        formatted("an output of %.4g everywhere would pass as drawn from the "
                  "same distribution",
                  expected.mean));
}

/// Whether the expected values are at fault, not the comparison.
static bool saysLittle(Vacuity kind) {
  return kind == Vacuity::ConstantExpected || kind == Vacuity::UniformRows;
}

/// What of the tested output a comparison that passed can't have noticed.
static void findVacuities(const Evidence &evidence, Judgement &judgement) {
  const Tensor *bounds =
      judgement.criterion == Criterion::Bound ? evidence.bounds : nullptr;
  for (const VacuityFinding &finding :
       findVacuity(evidence.expected, evidence.actual.dtype(),
                   judgement.result.tolerance, bounds))
    (saysLittle(finding.kind) ? judgement.warnings : judgement.vacuities)
        .push_back(finding.words);
}

/// Where a denormal factor is taken for zero, a product with infinity is NaN.
/// Returns the tested output with such NaNs as the infinities they stand for,
/// and their number.
static std::pair<Tensor, int64_t> withoutFlushedNans(const Evidence &evidence) {
  Tensor result(evidence.actual.dtype(), evidence.actual.shape().vec());
  std::memcpy(result.data(), evidence.actual.data(), result.sizeInBytes());
  int64_t count = 0;
  for (int64_t i = 0, e = result.elementCount(); i < e; ++i) {
    double expected = evidence.expected.at(i);
    if (!std::isinf(expected) || !std::isnan(result.at(i)))
      continue;
    result.set(i, expected);
    ++count;
  }
  return {std::move(result), count};
}

static Judgement decideFlushed(const Evidence &evidence) {
  auto [actual, count] = withoutFlushedNans(evidence);
  if (count == 0)
    return decide(evidence);
  Evidence excused{actual, evidence.expected};
  excused.mode = evidence.mode;
  excused.isExactSet = evidence.isExactSet;
  excused.bounds = evidence.bounds;
  excused.plain = evidence.plain;
  excused.tolerance = evidence.tolerance;
  excused.numerics = evidence.numerics;
  Judgement judgement = decide(excused);
  judgement.basis.push_back(std::to_string(count) +
                            " infinite elements are NaN: the target takes "
                            "denormal factors for zero");
  return judgement;
}

/// Whether NaN may stand where infinity is due.
static bool mayFlush(const Evidence &evidence) {
  return evidence.numerics.flushesFactors &&
         evidence.numerics.flushesFactors->value && !evidence.picks &&
         !evidence.selection && isFloat(evidence.actual.dtype()) &&
         evidence.actual.shape() == evidence.expected.shape();
}

Judgement lh::judge(const Evidence &evidence) {
  Judgement judgement = evidence.isDrawn     ? judgeByDistribution(evidence)
                        : mayFlush(evidence) ? decideFlushed(evidence)
                                             : decide(evidence);
  if (!judgement.inapplicable.empty() || !judgement.result.passed)
    return judgement;
  if (judgement.criterion == Criterion::Distribution)
    findVacuousSample(evidence, judgement);
  else
    findVacuities(evidence, judgement);
  return judgement;
}
